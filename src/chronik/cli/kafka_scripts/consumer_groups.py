"""``kafka-consumer-groups.sh``: list, describe and delete groups, reset and delete their offsets.

Like Kafka's tool it exits with 0 where the cluster refused a request, and prints the error to its output.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final

from chronik.cli.group.operations import committed_offsets, partition_rows, readers_of
from chronik.cli.kafka_scripts.flags import BOOTSTRAP, COMMAND_CONFIG, Flag, Given, Takes, UsageError, switch, value
from chronik.cli.kafka_scripts.group_tables import (
    print_deleted_offsets,
    print_listing,
    print_members,
    print_offsets,
    print_state,
)
from chronik.cli.kafka_scripts.java_errors import java_message, java_text
from chronik.cli.kafka_scripts.reset_offsets import RESET_FLAGS, check_reset, reset_offsets, scopes_of
from chronik.cli.kafka_scripts.session import Tool, ask, complain, properties_of, say, settings_of
from chronik.cli.shell.partition_scope import existing_partitions
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, RefusedError
from chronik.client.groups.admin import CLASSIC, CONSUMER, GroupAdmin, GroupView, matching
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.client.offsets import known_bounds
from chronik.model.errors import ErrorCode

_ACTIONS: Final = ("list", "describe", "delete", "reset-offsets", "delete-offsets")
_REBALANCING: Final = ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling")
_OF_THE_GROUP: Final = (
    ErrorCode.INVALID_GROUP_ID,
    ErrorCode.GROUP_ID_NOT_FOUND,
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.NON_EMPTY_GROUP,
)
_DEFAULT_TIMEOUT_MS: Final = 30_000

FLAGS: Final = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    switch("list", "List all consumer groups."),
    switch("describe", "Describe groups: offsets and lag, --members or --state."),
    switch("delete", "Delete groups without members."),
    switch("reset-offsets", "Move the offsets of groups without members; shows the plan unless --execute is given."),
    switch("delete-offsets", "Delete the offsets of topics that no member of the group reads."),
    value("group", "The group; may be given more than once."),
    switch("all-groups", "All groups."),
    value("topic", "A topic, or TOPIC:0,1 for some of its partitions; may be given more than once."),
    switch("members", "With --describe: the members."),
    switch("offsets", "With --describe: the offsets, as without it."),
    switch("verbose", "With --describe: more columns."),
    Flag("state", Takes.MAYBE, "With --describe: the state; with --list: show states, or only groups in these."),
    Flag("type", Takes.MAYBE, "With --list: show types, or only groups of these."),
    value("timeout", "How long to wait, in ms. Default: 30000."),
    *RESET_FLAGS,
)


def work(given: Given) -> int:
    action = given.exactly_one(
        _ACTIONS,
        "Command must include exactly one action: --list, --describe, --delete, --reset-offsets, --delete-offsets",
    )
    _check(given, action)
    actions: Mapping[str, Callable[[Cluster, Given], Awaitable[None]]] = {
        "list": _list,
        "describe": _describe,
        "delete": _delete,
        "reset-offsets": reset_offsets,
        "delete-offsets": _delete_offsets,
    }
    timeout = str(given.number("timeout", _DEFAULT_TIMEOUT_MS))
    times = {"default.api.timeout.ms": timeout, "request.timeout.ms": timeout}
    settings = settings_of(properties_of(given, files=["command-config"]), times)

    async def act(cluster: Cluster) -> int:
        try:
            await actions[action](cluster, given)
        except RefusedError as error:
            print_error(f"Executing consumer group command failed due to {java_message(error)}")
        return 0

    return ask(given, act, settings)


def _check(given: Given, action: str) -> None:
    if action in ("describe", "delete", "reset-offsets"):
        given.exactly_one(
            ("group", "all-groups"), f"Option [{action}] takes one of these options: [all-groups], [group]"
        )
    if action == "describe" and sum(name in given for name in ("members", "offsets", "state")) > 1:
        raise UsageError("Option [describe] takes at most one of these options: [members], [offsets], [state]")
    if action == "delete-offsets":
        given.require("group", "topic")
    if action == "reset-offsets":
        check_reset(given)


def print_error(text: str) -> None:
    """Print an error to standard output, as Kafka's tool does."""
    say()
    say(f"Error: {text}")


async def _list(cluster: Cluster, given: Given) -> None:
    states = _words(given, "state", lambda word: word)
    types = _words(given, "type", str.lower)
    listings = [listing for listing in await GroupAdmin(cluster).list_groups() if _is_of_consumers(listing)]
    folded = {word.lower() for word in states}
    chosen = [one for one in matching(listings, (), types) if not folded or one.state.lower() in folded]
    print_listing(chosen, wants_type="type" in given, wants_state="state" in given)


def _words(given: Given, name: str, spelled: Callable[[str], str]) -> list[str]:
    return [spelled(word.strip()) for word in given.one(name).split(",") if word.strip()]


def _is_of_consumers(listing: object) -> bool:
    kind, protocol = getattr(listing, "type", ""), getattr(listing, "protocol_type", "")
    return kind in (CLASSIC, CONSUMER, "") and protocol in ("consumer", "")


async def groups_of(cluster: Cluster, given: Given) -> list[str]:
    """Return the groups of --group or --all-groups."""
    if "all-groups" not in given:
        return given.many("group")
    return [one.group for one in await GroupAdmin(cluster).list_groups() if _is_of_consumers(one)]


async def _describe(cluster: Cluster, given: Given) -> None:
    for group, view in (await GroupAdmin(cluster).describe(await groups_of(cluster, given))).items():
        if isinstance(view, ClientError):
            raise view
        if not view.exists:
            text = f"org.apache.kafka.common.errors.GroupIdNotFoundException: Group {group} not found."
            print_error(f"Executing consumer group command failed due to {text}")
            return
        _print_notice(view)
        if "state" in given:
            print_state(view, cluster.view.brokers.values())
        elif "members" in given:
            print_members(group, view.members, is_verbose="verbose" in given)
        else:
            await _describe_offsets(cluster, view, is_verbose="verbose" in given)


def _print_notice(view: GroupView) -> None:
    if view.state == "Empty":
        complain(f"\nConsumer group '{view.group}' has no active members.")
    elif view.state in _REBALANCING:
        complain(f"\nWarning: Consumer group '{view.group}' is rebalancing.")


async def _describe_offsets(cluster: Cluster, view: GroupView, *, is_verbose: bool) -> None:
    committed = await committed_offsets(cluster, view.group)
    readers = readers_of(view)
    rows = partition_rows(committed, readers, await known_bounds(cluster, {*committed, *readers}))
    if rows:
        print_offsets(view.group, rows, committed, is_verbose=is_verbose)


async def _delete(cluster: Cluster, given: Given) -> None:
    done = await GroupAdmin(cluster).delete(await groups_of(cluster, given))
    failed = {group: error for group, error in done.items() if error is not None}
    deleted = _quoted(group for group in done if group not in failed)
    if not failed:
        say(f"Deletion of requested consumer groups ({deleted}) was successful.")
        return
    print_error("Deletion of some consumer groups failed:")
    for group, error in failed.items():
        say(f"* Group '{group}' could not be deleted due to: {java_text(error)}")
    if deleted:
        say(f"\nThese consumer groups were deleted successfully: {deleted}")


def _quoted(groups: Iterable[str]) -> str:
    return ", ".join(f"'{group}'" for group in groups)


async def _delete_offsets(cluster: Cluster, given: Given) -> None:
    group = given.one("group")
    partitions = await existing_partitions(cluster, scopes_of(given))
    try:
        outcomes = await GroupOffsetAdmin(cluster).delete(group, partitions)
    except RefusedError as error:
        if error.error not in _OF_THE_GROUP:
            raise
        print_error(java_message(error))
        return
    if any(outcomes.values()):
        print_error("Encountered some partition-level error, see the follow-up details.")
    else:
        say(f"Request succeeded for deleting offsets from group {group}.")
    print_deleted_offsets(
        {at: "Successful" if error is None else f"Error: {java_text(error)}" for at, error in outcomes.items()}
    )


TOOL: Final = Tool(
    "kafka-consumer-groups.sh",
    "List all consumer groups, describe a consumer group, delete consumer group info, or reset its offsets.",
    FLAGS,
    work,
)
