"""``chronik group delete``: delete groups without members, or only their committed offsets of some topics."""

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import click

from chronik.cli import exits
from chronik.cli.shell.options import ClientOptions, client_options, examples, failure_of, with_cluster
from chronik.cli.shell.output import print_json
from chronik.cli.shell.partition_scope import PartitionScope, scope_of
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, RefusedError
from chronik.client.groups.admin import GroupAdmin
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition

_EXAMPLES = examples(
    "chronik group delete old-reader older-reader",
    "chronik group delete orders-reader --topic returns",
    "chronik group delete orders-reader --topic orders:0,1",
)


class NothingToDeleteError(ClientError):
    """The group has no committed offset in the topics that were named."""


class Deletion(NamedTuple):
    """The outcome for one group, or for its committed offset in one partition."""

    group: str
    at: TopicPartition | None
    error: ClientError | None

    @property
    def name(self) -> str:
        """Return the name of the deleted object."""
        return f"group {self.group}" if self.at is None else f"offset of group {self.group} in {self.at}"

    def document(self) -> dict[str, Any]:
        """Return the outcome as JSON."""
        where = {} if self.at is None else {"topic": self.at.topic, "partition": self.at.partition}
        if self.error is None:
            return {"group": self.group, **where, "result": "deleted"}
        code = self.error.error.name if isinstance(self.error, RefusedError) else "FAILED"
        return {"group": self.group, **where, "result": code, "message": self.error.what}


@click.command(epilog=_EXAMPLES)
@click.argument("groups", nargs=-1, required=True, metavar="GROUP...")
@click.option(
    "-t", "--topic", "topics", multiple=True, metavar="TOPIC[:0,1]", help="Delete only the offsets of this topic."
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask on a terminal.")
@click.option("--if-exists", is_flag=True, help="A group that does not exist is no error.")
@client_options
def delete(options: ClientOptions, groups: tuple[str, ...], topics: tuple[str, ...], yes: bool, if_exists: bool) -> int:
    """Delete groups with their committed offsets, or only the offsets of some topics.

    The cluster refuses groups with members, and offsets of topics that members read.
    """
    scopes = [scope_of(text) for text in topics]
    what = f"the offsets of {', '.join(topics)} of" if topics else "with all committed offsets"
    if not yes and sys.stdin.isatty():
        names = ", ".join(groups)
        click.confirm(f"Delete {what} {names}?" if topics else f"Delete {names} {what}?", abort=True, err=True)

    async def work(cluster: Cluster) -> int:
        if scopes:
            results = [result for group in groups for result in await _delete_offsets(cluster, group, scopes)]
        else:
            done = await GroupAdmin(cluster).delete(groups)
            results = [Deletion(group, None, error) for group, error in done.items()]
        return _report(options, results, if_exists=if_exists)

    return with_cluster(options, work)


async def _delete_offsets(cluster: Cluster, group: str, scopes: Sequence[PartitionScope]) -> list[Deletion]:
    """Delete the committed offsets in the scopes; a group that has none is an error."""
    admin = GroupOffsetAdmin(cluster)
    committed = (await admin.committed([group]))[group]
    if isinstance(committed, ClientError):
        return [Deletion(group, None, committed)]
    wanted = [at for at in committed if any(scope.holds(at) for scope in scopes)]
    if not wanted:
        names = ", ".join(scope.topic for scope in scopes)
        return [Deletion(group, None, NothingToDeleteError(f"group {group} has no committed offset in {names}"))]
    try:
        outcomes = await admin.delete(group, wanted)
    except ClientError as error:
        return [Deletion(group, None, error)]
    return [Deletion(group, at, error) for at, error in outcomes.items()]


def _report(options: ClientOptions, results: Sequence[Deletion], *, if_exists: bool) -> int:
    code = exits.OK
    for result in results:
        if result.error is not None and not (if_exists and _is_absent(result.error)):
            failure = failure_of(result.error)
            failure.show()
            code = max(code, failure.code)
        elif not options.as_json:
            click.echo(f"{result.name} deleted" if result.error is None else result.error.what)
    if options.as_json:
        print_json([result.document() for result in results])
    return code


def _is_absent(error: ClientError) -> bool:
    if isinstance(error, RefusedError):
        return error.error is ErrorCode.GROUP_ID_NOT_FOUND
    return isinstance(error, NothingToDeleteError)
