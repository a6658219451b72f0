"""``kafka-consumer-groups.sh --reset-offsets``: the plan of ``chronik group seek`` under Kafka's flags and output."""

from typing import Final

import click

from chronik.cli.group.operations import planned_seek, target_of
from chronik.cli.kafka_scripts.flags import Given, UsageError, switch, value
from chronik.cli.kafka_scripts.group_tables import print_new_offsets
from chronik.cli.kafka_scripts.java_errors import java_message
from chronik.cli.kafka_scripts.session import complain, say
from chronik.cli.shell.partition_scope import PartitionScope, scope_of
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError
from chronik.client.groups.admin import GroupAdmin
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.client.groups.seek_plan import Target, ToEach, moves_of
from chronik.model.ids import TopicPartition

RESET_FLAGS: Final = (
    switch("all-topics", "With --reset-offsets: every topic in which the group has an offset."),
    value("to-offset", "To this offset."),
    switch("to-earliest", "To the earliest offset."),
    switch("to-latest", "To the latest offset."),
    value("to-datetime", "To the first record of this time: YYYY-MM-DDThh:mm:ss.sss, UTC where no zone is given."),
    value("by-duration", "To the first record of this long ago: PnDTnHnMnS."),
    value("shift-by", "By this many offsets; back where negative."),
    switch("to-current", "To the committed offsets."),
    value("from-file", "To the offsets of a CSV file."),
    switch("dry-run", "Show the new offsets without committing them."),
    switch("execute", "Commit the new offsets."),
    switch("export", "Print the new offsets as CSV."),
)
_SCENARIOS: Final = (
    "to-offset",
    "to-current",
    "to-datetime",
    "from-file",
    "by-duration",
    "to-earliest",
    "to-latest",
    "shift-by",
)
_DRY_RUN_NOTICE: Final = (
    "WARN: No action will be performed as the --execute option is missing. "
    "You should add the --dry-run option explicitly if you are scripting this command."
)
_INACTIVE: Final = ("Empty", "Dead")


def check_reset(given: Given) -> None:
    """Refuse flags that do not make a reset."""
    if "dry-run" in given and "execute" in given:
        raise UsageError("Option [reset-offsets] only accepts one of [execute] and [dry-run]")
    names = ", ".join(f"[{name}]" for name in _SCENARIOS)
    scenario = given.exactly_one(
        _SCENARIOS, f"Option '[reset-offsets]' requires one of the following scenarios: [{names}]"
    )
    if scenario != "from-file":
        given.exactly_one(
            ("topic", "all-topics"), "Option [reset-offsets] takes one of these options: [all-topics], [topic]"
        )
    if scenario != "from-file":
        _target(given, scenario, "")
    scopes_of(given)


def scopes_of(given: Given) -> list[PartitionScope]:
    """Return the topics and partitions of --topic."""
    try:
        return [scope_of(text) for text in given.many("topic")]
    except click.UsageError as error:
        raise UsageError(error.message) from None


def _target(given: Given, scenario: str, group: str) -> Target:
    text = given.one(scenario)
    try:
        return target_of(scenario, _with_zone(text) if scenario == "to-datetime" else text, group)
    except ValueError as error:
        raise UsageError(f"--{scenario} {text}: {error}") from None
    except OSError as error:
        raise UsageError(f"--{scenario} {text}: {error.strerror}") from None


def _with_zone(text: str) -> str:
    """Add UTC to a time without a zone, as Kafka's tool does; ``chronik`` takes the zone of the machine."""
    _, _, clock = text.partition("T")
    return text if any(mark in clock for mark in "+-Z") else f"{text}Z"


async def reset_offsets(cluster: Cluster, given: Given) -> None:
    """Plan the reset and print it; with --execute commit the new offsets."""
    if "execute" not in given and "dry-run" not in given:
        complain(_DRY_RUN_NOTICE)
    groups = given.many("group")
    if "all-groups" in given:
        groups = [listing.group for listing in await GroupAdmin(cluster).list_groups()]
    scenario = next(name for name in _SCENARIOS if name in given)
    planned: dict[tuple[str, TopicPartition], int] = {}
    for group, view in (await GroupAdmin(cluster).describe(groups)).items():
        if isinstance(view, ClientError):
            raise view
        if view.exists and view.state not in _INACTIVE:
            say(
                f"\nError: Assignments can only be reset if the group '{group}' is inactive, "
                f"but the current state is {view.state}."
            )
            continue
        moves = await _planned(cluster, given, _target(given, scenario, group), group)
        if "execute" in given:
            moves = await _carried_out(cluster, group, moves)
        planned.update({(group, at): offset for at, offset in moves.items()})
    _print(given, planned, is_one_group=len(groups) == 1)


async def _planned(cluster: Cluster, given: Given, target: Target, group: str) -> dict[TopicPartition, int]:
    scopes = [] if isinstance(target, ToEach) else scopes_of(given)
    plan = await planned_seek(cluster, group, target, scopes)
    for step in plan:
        if step.new is None:
            complain(f"{step.topic_partition}: {step.note}")
        elif step.note:
            complain(f"WARN: {step.topic_partition}: {step.note}, so {step.new} is taken")
    return moves_of(plan)


async def _carried_out(cluster: Cluster, group: str, moves: dict[TopicPartition, int]) -> dict[TopicPartition, int]:
    outcomes = await GroupOffsetAdmin(cluster).commit(group, moves) if moves else {}
    for at, error in outcomes.items():
        if error is not None:
            complain(f"Error: {at}: {java_message(error)}")
    return {at: offset for at, offset in moves.items() if outcomes.get(at) is None}


def _print(given: Given, planned: dict[tuple[str, TopicPartition], int], *, is_one_group: bool) -> None:
    if "export" not in given:
        print_new_offsets(planned)
        return
    for (group, at), offset in planned.items():
        say(",".join([*([] if is_one_group else [group]), at.topic, str(at.partition), str(offset)]))
    say()
