"""``chronik group seek``: move the committed offsets of a group; without --execute it only shows the plan."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from chronik.cli import exits
from chronik.cli.group.operations import TARGET_NAMES, offsets_as_csv, planned_seek, target_of
from chronik.cli.shell.options import ClientOptions, client_options, examples, failure_of, with_cluster
from chronik.cli.shell.output import print_json, print_table
from chronik.cli.shell.partition_scope import PartitionScope, scope_of
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError
from chronik.client.groups.admin import GroupAdmin, GroupView
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.client.groups.seek_plan import SeekStep, Target, ToEach, moves_of

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
@click.option("--by-duration", metavar="DURATION", help="To this long ago: 90s, 15m, 2h, 1d or P1DT2H.")
@click.option("--shift-by", type=int, metavar="N", help="By N offsets forward, or back where negative.")
@click.option("--to-current", is_flag=True, help="To the committed offsets: commits the same offsets again.")
@click.option(
    "--from-file", type=click.Path(dir_okay=False), help="To the offsets of a CSV file: topic,partition,offset."
)
@click.option(
    "--execute",
    is_flag=True,
    help="Commit the new offsets; without it only the plan is shown.",
)
@click.option("--export", is_flag=True, help="Print the new offsets as CSV (for --from-file), not as a table.")
@client_options
def seek(
    options: ClientOptions,
    group: str,
    topics: tuple[str, ...],
    all_topics: bool,
    execute: bool,
    export: bool,
    **targets: Any,
) -> int:
    """Move the committed offsets of a group that has no members.

    Offsets outside the log are clamped to log start and high watermark. A group that does not exist is created with
    its first committed offset.
    """
    target = _target(group, targets)
    scopes = [scope_of(text) for text in topics]
    _check_scope(target, scopes, all_topics=all_topics)
    if export and options.as_json:
        raise click.UsageError("--export and --json exclude each other")

    async def work(cluster: Cluster) -> int:
        view = await _view(cluster, group)
        plan = await planned_seek(cluster, group, target, scopes)
        if not plan:
            raise exits.Failure(
                f"group {group} has no committed offsets", "Name topics with --topic, or see 'chronik group list'."
            )
        if execute:
            _refuse_if_active(view)
        _print(options, group, plan, execute=execute, export=export)
        _refuse_if_active(view)
        return await _carry_out(cluster, group, plan) if execute else _end_dry_run(plan)

    return with_cluster(options, work)


def _target(group: str, values: Mapping[str, Any]) -> Target:
    """Return the target of the one option that was given; an offset of 0 is given, a flag that is off is not."""
    given = [name for name in TARGET_NAMES if _is_given(values[_parameter(name)])]
    if len(given) != 1:
        names = ", ".join(f"--{name}" for name in (given or TARGET_NAMES))
        raise click.UsageError(f"{'these exclude each other' if given else 'give one of'}: {names}")
    [name] = given
    value = values[_parameter(name)]
    try:
        target = target_of(name, value, group)
    except ValueError as error:
        raise click.UsageError(f"--{name}: {error}") from None
    except OSError as error:
        raise exits.Failure(f"{value}: {error.strerror}", "Check the path.", exits.UNKNOWN) from error
    if isinstance(target, ToEach) and not target.offsets:
        raise click.UsageError(f"--{name}: {value} names no offset for group {group}")
    return target


def _parameter(name: str) -> str:
    return name.replace("-", "_")


def _is_given(value: object) -> bool:
    return value is not None and value is not False


def _check_scope(target: Target, scopes: Sequence[PartitionScope], *, all_topics: bool) -> None:
    if isinstance(target, ToEach):
        if scopes or all_topics:
            raise click.UsageError("--from-file names the partitions: leave out --topic and --all-topics")
    elif bool(scopes) == all_topics:
        raise click.UsageError("name the partitions: --topic TOPIC[:0,1] (may be given several times) or --all-topics")


async def _view(cluster: Cluster, group: str) -> GroupView:
    view = (await GroupAdmin(cluster).describe([group]))[group]
    if isinstance(view, ClientError):
        raise view
    return view


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
        "Stop the members first: they would overwrite the new offsets with their own.",
    )


def _end_dry_run(plan: Sequence[SeekStep]) -> int:
    if not moves_of(plan):
        raise exits.Failure("there is nothing to move")
    click.echo("nothing was changed; --execute commits the new offsets", err=True)
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
