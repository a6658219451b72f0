"""``chronik group delete``: groups without members, or only their offsets of some topics."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from chronik.cli import exits
from chronik.cli.options import ClientOptions, client_options, examples, failure_of, with_cluster
from chronik.cli.output import print_json
from chronik.cli.partition_scope import Scope, scope_of
from chronik.client.admin_group_offsets import GroupOffsetAdmin
from chronik.client.admin_groups import GroupAdmin
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, RefusedError
from chronik.model.errors import ErrorCode

Results = Mapping[str, ClientError | None]
_EXAMPLES = examples(
    "chronik group delete old-reader older-reader",
    "chronik group delete orders-reader --topic returns",
    "chronik group delete orders-reader --topic orders:0,1",
)


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

    Groups with members are refused, and so are offsets of topics that members read.
    """
    scopes = [scope_of(text) for text in topics]
    what = f"the offsets of {', '.join(topics)} of" if topics else "with all committed offsets"
    if not yes and sys.stdin.isatty():
        names = ", ".join(groups)
        click.confirm(f"Delete {what} {names}?" if topics else f"Delete {names} {what}?", abort=True, err=True)

    async def work(cluster: Cluster) -> int:
        if not scopes:
            return _report(options, await GroupAdmin(cluster).delete(groups), if_exists=if_exists)
        results: dict[str, ClientError | None] = {}
        for group in groups:
            results |= await _without_offsets(cluster, group, scopes)
        return _report(options, results, if_exists=if_exists)

    return with_cluster(options, work)


async def _without_offsets(cluster: Cluster, group: str, scopes: Sequence[Scope]) -> Results:
    """Delete the offsets that are there; one that is named and is not there is told."""
    admin = GroupOffsetAdmin(cluster)
    positions = (await admin.committed([group]))[group]
    if isinstance(positions, ClientError):
        return {group: positions}
    wanted = [at for at in positions if any(scope.holds(at) for scope in scopes)]
    if not wanted:
        names = ", ".join(scope.topic for scope in scopes)
        return {group: RefusedError(ErrorCode.GROUP_ID_NOT_FOUND, f"group {group}", f"no committed offset in {names}")}
    try:
        outcomes = await admin.delete(group, wanted)
    except ClientError as error:
        return {group: error}
    return {f"{group}, {at}": outcomes.get(at) for at in wanted}


def _report(options: ClientOptions, results: Results, *, if_exists: bool) -> int:
    code = exits.OK
    documents: list[dict[str, Any]] = []
    for name, error in results.items():
        is_accepted = if_exists and isinstance(error, RefusedError) and error.error is ErrorCode.GROUP_ID_NOT_FOUND
        if error is not None and not is_accepted:
            failure = failure_of(error)
            failure.show()
            code = max(code, failure.code)
        elif not options.as_json:
            click.echo(f"group {name} deleted" if error is None else error.what)
        documents.append({"group": name, "result": "deleted" if error is None else error.what})
    if options.as_json:
        print_json(documents)
    return code
