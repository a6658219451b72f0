"""``chronik group describe``: committed offsets and lag per partition, members, state."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

import click

from chronik.cli import exits
from chronik.cli.group.operations import partition_rows, readers_of
from chronik.cli.shell.options import ClientOptions, client_options, examples, failure_of, with_cluster
from chronik.cli.shell.output import print_json, print_table
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, RefusedError
from chronik.client.groups.admin import WITH_KNOWN_MEMBERS, GroupAdmin, GroupView, MemberView
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.client.offsets import known_bounds
from chronik.model.errors import ErrorCode

_PARTITION_COLUMNS: Final = (
    "topic",
    "partition",
    "committed",
    "log start",
    "high watermark",
    "lag",
    "member",
    "client",
    "host",
)
_PARTITION_KEYS: Final = tuple(name.replace(" ", "_") for name in _PARTITION_COLUMNS)
_MEMBER_COLUMNS: Final = ("member", "instance", "client", "host", "partitions", "assigned")
_STATE_COLUMNS: Final = ("group", "state", "type", "protocol type", "protocol", "members", "coordinator")
_ASSIGNED_SHOWN_MAX: Final = 8
_MEMBER_ID_SHOWN_MAX: Final = 8
_EXAMPLES = examples(
    "chronik group describe orders-reader",
    "chronik group describe orders-reader --members",
    "chronik group describe --all-groups --json",
)


@click.command(epilog=_EXAMPLES)
@click.argument("groups", nargs=-1, metavar="[GROUP]...")
@click.option("--all-groups", is_flag=True, help="All groups of the cluster.")
@click.option("--members", "wants_members", is_flag=True, help="Show the members and their assigned partitions.")
@click.option("--state", "wants_state", is_flag=True, help="Show state, protocol and coordinator only.")
@client_options
def describe(
    options: ClientOptions, groups: tuple[str, ...], all_groups: bool, wants_members: bool, wants_state: bool
) -> int:
    """Show the committed offsets of groups and their lag, per partition.

    Lag is the number of records between the committed offset and the high watermark; it counts from the log start
    where the committed offset has expired. Without a committed offset the lag is unknown ("-", in JSON null).
    """
    if bool(groups) == all_groups:
        raise click.UsageError("name groups, or give --all-groups")
    if wants_members and wants_state:
        raise click.UsageError("--members and --state exclude each other")

    async def work(cluster: Cluster) -> int:
        names = await _all_names(cluster) if all_groups else groups
        found = await GroupAdmin(cluster).describe(names)
        views = [view for view in found.values() if isinstance(view, GroupView) and view.exists]
        documents = [_document(view) for view in views]
        failures = _failures(found)
        if not (wants_members or wants_state):
            failures |= await _add_partitions(cluster, views, documents)
        elif wants_state:
            documents = [_counted(document) for document in documents]
        _print(options, documents, wants_members=wants_members, wants_state=wants_state)
        return _print_failures(failures)

    return with_cluster(options, work)


async def _all_names(cluster: Cluster) -> list[str]:
    """Return the names of the classic and consumer groups."""
    listings = await GroupAdmin(cluster).list_groups()
    others = sorted(listing.group for listing in listings if listing.type not in WITH_KNOWN_MEMBERS)
    if others:
        click.echo(f"chronik: left out, because they are not consumer groups: {', '.join(others)}", err=True)
    return [listing.group for listing in listings if listing.type in WITH_KNOWN_MEMBERS]


def _failures(found: Mapping[str, GroupView | ClientError]) -> dict[str, ClientError]:
    """Return the error of each group that cannot be shown, also of groups that do not exist."""
    failures: dict[str, ClientError] = {}
    for group, view in found.items():
        if isinstance(view, ClientError):
            failures[group] = view
        elif not view.exists:
            failures[group] = RefusedError(ErrorCode.GROUP_ID_NOT_FOUND, f"group {group}", "there is no such group")
    return failures


def _print_failures(failures: Mapping[str, ClientError]) -> int:
    code = exits.OK
    for error in failures.values():
        failure = failure_of(error)
        failure.show()
        code = max(code, failure.code)
    return code


async def _add_partitions(
    cluster: Cluster, views: list[GroupView], documents: list[dict[str, Any]]
) -> dict[str, ClientError]:
    found = await GroupOffsetAdmin(cluster).committed(view.group for view in views)
    failures = {group: error for group, error in found.items() if isinstance(error, ClientError)}
    committed = {group: known for group, known in found.items() if not isinstance(known, ClientError)}
    readers = {view.group: readers_of(view) for view in views}
    everywhere = {at for known in committed.values() for at in known} | {at for read in readers.values() for at in read}
    bounds = await known_bounds(cluster, everywhere)
    for document in documents:
        group = document["group"]
        document["partitions"] = partition_rows(committed.get(group, {}), readers[group], bounds)
    return failures


def _document(view: GroupView) -> dict[str, Any]:
    return {
        "group": view.group,
        "state": view.state,
        "type": view.type,
        "protocol_type": view.protocol_type,
        "protocol": view.protocol,
        "coordinator": view.coordinator,
        "members": [_member(member) for member in view.members],
    }


def _counted(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with the number of members in place of the members."""
    rest = {name: content for name, content in document.items() if name != "members"}
    return {**rest, "member_count": len(document["members"])}


def _member(member: MemberView) -> dict[str, Any]:
    return {
        "member": member.member_id,
        "instance": member.instance_id,
        "client": member.client_id,
        "host": member.host,
        "assigned": None if member.assigned is None else [str(at) for at in sorted(member.assigned)],
    }


def _print(options: ClientOptions, documents: list[dict[str, Any]], *, wants_members: bool, wants_state: bool) -> None:
    if options.as_json:
        print_json(documents)
    elif wants_state:
        _print_states(documents)
    else:
        for index, document in enumerate(documents):
            if index:
                click.echo()
            _print_members(document) if wants_members else _print_partitions(document)


def _print_states(documents: Iterable[dict[str, Any]]) -> None:
    keys = ("group", "state", "type", "protocol_type", "protocol", "member_count", "coordinator")
    rows = [[document[key] if document[key] != "" else None for key in keys] for document in documents]
    if rows:
        print_table(_STATE_COLUMNS, rows)


def _print_partitions(document: dict[str, Any]) -> None:
    rows = [[_cell(name, row) for name in _PARTITION_KEYS] for row in document["partitions"]]
    if not rows:
        click.echo(f"{_title(document)}: no committed offsets, and no partition is read")
        return
    print_table(_PARTITION_COLUMNS, rows, title=f"{_title(document)}, {_lag_text(document)}")
    for row in document["partitions"]:
        if row["problem"]:
            click.echo(f"chronik: {row['problem']}", err=True)


def _cell(name: str, row: dict[str, Any]) -> Any:
    """Return a cell. On a terminal a member id loses the client id, which has its own column, and is shortened."""
    if name != "member" or row["member"] is None or not sys.stdout.isatty():
        return row[name]
    own = row["member"].removeprefix(f"{row['client']}-")
    return own if len(own) <= _MEMBER_ID_SHOWN_MAX else f"{own[:_MEMBER_ID_SHOWN_MAX]}..."


def _lag_text(document: dict[str, Any]) -> str:
    lags = [row["lag"] for row in document["partitions"]]
    unknown = lags.count(None)
    return f"lag {sum(lag or 0 for lag in lags):,}" + (f" and unknown in {unknown} partition(s)" if unknown else "")


def _print_members(document: dict[str, Any]) -> None:
    if not document["members"]:
        click.echo(f"{_title(document)}")
        return
    rows = [
        (
            member["member"],
            member["instance"],
            member["client"],
            member["host"],
            None if member["assigned"] is None else len(member["assigned"]),
            _shortened(member["assigned"]),
        )
        for member in document["members"]
    ]
    print_table(_MEMBER_COLUMNS, rows, title=_title(document))


def _shortened(assigned: list[str] | None) -> str | None:
    if not assigned:
        return None
    shown = ",".join(assigned[:_ASSIGNED_SHOWN_MAX])
    return shown if len(assigned) <= _ASSIGNED_SHOWN_MAX else f"{shown},... (all with --json)"


def _title(document: dict[str, Any]) -> str:
    return f"group {document['group']}: {document['state']}, {len(document['members'])} member(s)"
