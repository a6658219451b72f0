"""``chronik group seek``: move the committed offsets of a group; it shows the plan, and acts only with --execute."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import click

from chronik.cli import exits
from chronik.cli.shell.offsets_csv import offsets_as_csv, offsets_from_csv
from chronik.cli.shell.options import ClientOptions, client_options, examples, failure_of, with_cluster
from chronik.cli.shell.output import print_json, print_table
from chronik.cli.shell.partition_scope import Scope, existing_partitions, scope_of
from chronik.cli.shell.times import duration_ms_of, milliseconds_of
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError
from chronik.client.groups.admin import GroupAdmin, GroupView
from chronik.client.groups.admin_offsets import GroupOffsetAdmin, Positions
from chronik.client.groups.seek_plan import (
    SeekPartition,
    SeekStep,
    ShiftBy,
    Target,
    ToCurrent,
    ToEach,
    ToEarliest,
    ToLatest,
    ToOffset,
    ToTime,
    moves_of,
    plan_seek,
)
from chronik.client.offsets import known_bounds, list_offsets
from chronik.model.ids import TopicPartition

_COLUMNS: Final = ("topic", "partition", "committed", "new", "note")
_MEMBERS_NAMED_MAX: Final = 5
_EXAMPLES = examples(
    "chronik group seek orders-reader --topic orders --to-earliest",
    "chronik group seek orders-reader --topic orders:0,2 --to-offset 1500 --execute",
    "chronik group seek orders-reader --all-topics --by-duration 2h --execute",
    "chronik group seek orders-reader --all-topics --to-current --export > saved.csv",
    "chronik group seek orders-reader --from-file saved.csv --execute",
)


@click.command(epilog=_EXAMPLES)
@click.argument("group")
@click.option(
    "-t", "--topic", "topics", multiple=True, metavar="TOPIC[:0,1]", help="A topic, or some partitions of it."
)
@click.option("--all-topics", is_flag=True, help="Every partition in which the group has a committed offset.")
@click.option("--to-offset", type=click.IntRange(0), metavar="OFFSET", help="To this offset.")
@click.option("--to-earliest", is_flag=True, help="To the log start.")
@click.option("--to-latest", is_flag=True, help="To the high watermark.")
@click.option(
    "--to-datetime",
    metavar="ISO",
    help="To the first record of this time or later: 2026-11-16T08:30, in this machine's zone unless it names one.",
)
@click.option("--to-timestamp", type=click.IntRange(0), metavar="MS", help="The same, in milliseconds since 1970.")
@click.option("--by-duration", metavar="DURATION", help="To so long ago: 90s, 15m, 2h, 1d or P1DT2H.")
@click.option("--shift-by", type=int, metavar="N", help="So many offsets forward, or back where negative.")
@click.option("--to-current", is_flag=True, help="To where it is: commits the same offsets anew.")
@click.option(
    "--from-file", type=click.Path(dir_okay=False), help="To the offsets of a CSV file: topic,partition,offset."
)
@click.option("--execute", is_flag=True, help="Do it. Without this the plan is shown and nothing is changed.")
@click.option("--export", is_flag=True, help="Print the new offsets as CSV (for --from-file), not as a table.")
@client_options
def seek(
    options: ClientOptions,
    group: str,
    topics: tuple[str, ...],
    all_topics: bool,
    execute: bool,
    export: bool,
    **wishes: Any,
) -> int:
    """Move the committed offsets of a group that has no members.

    Offsets outside of what can be read are clamped to log start and high watermark. A group that does not exist
    comes into being with its first offset.
    """
    target = _target(group, wishes)
    scopes = [scope_of(text) for text in topics]
    _check_scope(target, scopes, all_topics=all_topics)
    if export and options.as_json:
        raise click.UsageError("--export and --json exclude each other")

    async def work(cluster: Cluster) -> int:
        view = await _view(cluster, group)
        places = await places_of(cluster, group, target, scopes)
        if not places:
            raise exits.Failure(
                f"group {group} has no committed offsets", "Name topics with --topic, or see 'chronik group list'."
            )
        plan = plan_seek(target, places)
        if execute:
            _refuse_if_active(view)
        _print(options, group, plan, execute=execute, export=export)
        _refuse_if_active(view)
        return await _carry_out(cluster, group, plan) if execute else _leave(plan)

    return with_cluster(options, work)


def _target(group: str, wishes: Mapping[str, Any]) -> Target:
    makers: dict[str, Callable[[Any], Target]] = {
        "to_offset": ToOffset,
        "to_earliest": lambda _: ToEarliest(),
        "to_latest": lambda _: ToLatest(),
        "to_datetime": lambda text: ToTime(milliseconds_of(text)),
        "to_timestamp": ToTime,
        "by_duration": lambda text: ToTime(max(0, int(time.time() * 1000) - duration_ms_of(text))),
        "shift_by": ShiftBy,
        "to_current": lambda _: ToCurrent(),
        "from_file": lambda path: _from_file(path, group),
    }
    # An offset of 0 is a wish, a flag that was not given is none.
    given = [name for name in makers if wishes[name] is not None and wishes[name] is not False]
    if len(given) != 1:
        names = ", ".join(_option(name) for name in (given or makers))
        raise click.UsageError(f"{'these exclude each other' if given else 'say where to, with one of'}: {names}")
    try:
        return makers[given[0]](wishes[given[0]])
    except ValueError as error:
        raise click.UsageError(f"{_option(given[0])}: {error}") from None


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _from_file(path: str, group: str) -> Target:
    try:
        with open(path, newline="") as lines:
            offsets = offsets_from_csv(lines, group)
    except OSError as error:
        raise exits.Failure(f"{path}: {error.strerror}", "Check the path.", exits.UNKNOWN) from error
    if not offsets:
        raise ValueError(f"{path} names no offset for group {group}")
    return ToEach(offsets)


def _check_scope(target: Target, scopes: Sequence[Scope], *, all_topics: bool) -> None:
    if isinstance(target, ToEach):
        if scopes or all_topics:
            raise click.UsageError("--from-file says which partitions: leave out --topic and --all-topics")
    elif bool(scopes) == all_topics:
        raise click.UsageError("say which partitions: --topic TOPIC[:0,1] (more than once if need be) or --all-topics")


async def _view(cluster: Cluster, group: str) -> GroupView:
    view = (await GroupAdmin(cluster).describe([group]))[group]
    if isinstance(view, ClientError):
        raise view
    return view


async def places_of(
    cluster: Cluster, group: str, target: Target, scopes: Sequence[Scope]
) -> dict[TopicPartition, SeekPartition]:
    """Look at every partition that is meant (without scopes: the group's own); one that is not known is refused."""
    positions = await _positions(cluster, group)
    if isinstance(target, ToEach):
        partitions = sorted(target.offsets)
    else:
        partitions = await existing_partitions(cluster, scopes) if scopes else list(positions)
    bounds = await known_bounds(cluster, partitions)
    found = await _found_by_time(cluster, target, partitions)
    places: dict[TopicPartition, SeekPartition] = {}
    for at, known in bounds.items():
        if isinstance(known, ClientError):
            raise known
        committed = positions[at].offset if at in positions else None
        places[at] = SeekPartition(*known, committed, found.get(at))
    return places


async def _positions(cluster: Cluster, group: str) -> Positions:
    positions = (await GroupOffsetAdmin(cluster).committed([group]))[group]
    if isinstance(positions, ClientError):
        raise positions
    return positions


async def _found_by_time(
    cluster: Cluster, target: Target, partitions: Sequence[TopicPartition]
) -> dict[TopicPartition, int]:
    if not isinstance(target, ToTime):
        return {}
    found = await list_offsets(cluster, dict.fromkeys(partitions, target.timestamp_ms))
    return {at: answer.offset for at, answer in found.items() if answer.offset >= 0}


def _print(options: ClientOptions, group: str, plan: Sequence[SeekStep], *, execute: bool, export: bool) -> None:
    if export:
        click.echo(offsets_as_csv(moves_of(plan)), nl=False)
    elif options.as_json:
        print_json({"group": group, "executed": execute, "partitions": [_document(step) for step in plan]})
    else:
        rows = [(*step.topic_partition, step.old, step.new, step.note or None) for step in plan]
        print_table(_COLUMNS, rows, title=f"group {group}: {'moving' if execute else 'plan, nothing is changed'}")


def _document(step: SeekStep) -> dict[str, Any]:
    at = step.topic_partition
    note = {"note": step.note or None}
    return {"topic": at.topic, "partition": at.partition, "committed": step.old, "new": step.new, **note}


def _refuse_if_active(view: GroupView) -> None:
    if not view.members:
        return
    names = [f"{member.client_id} at {member.host} ({member.member_id})" for member in view.members]
    shown = "; ".join(names[:_MEMBERS_NAMED_MAX]) + ("; ..." if len(names) > _MEMBERS_NAMED_MAX else "")
    raise exits.Failure(
        f"group {view.group} is {view.state} with {len(names)} active member(s), and nothing was changed: {shown}",
        "Stop them first: members would overwrite the offsets with their own.",
    )


def _leave(plan: Sequence[SeekStep]) -> int:
    if not moves_of(plan):
        raise exits.Failure("there is nothing to move")
    click.echo("nothing was changed; --execute does it", err=True)
    return exits.OK


async def _carry_out(cluster: Cluster, group: str, plan: Sequence[SeekStep]) -> int:
    moves = moves_of(plan)
    if not moves:
        raise exits.Failure("there is nothing to move")
    outcomes = await GroupOffsetAdmin(cluster).commit(group, moves)
    refused = [error for error in outcomes.values() if error is not None]
    for error in refused:
        failure_of(error).show()
    click.echo(f"group {group}: {len(outcomes) - len(refused)} of {len(moves)} partition(s) moved", err=True)
    return exits.FAILED if refused or len(outcomes) < len(moves) else exits.OK
