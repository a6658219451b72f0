"""``chronik topic create|list|alter|delete``."""

import sys
from collections.abc import Iterable
from typing import Any

import click

from chronik.cli import exits
from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.output import print_json, print_table
from chronik.cli.shell.settings_pairs import config_changes, pairs
from chronik.client.admin import Admin, NewTopic, TopicOutcome
from chronik.client.admin_configs import ConfigAdmin
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import TopicView
from chronik.client.errors import ADVICE
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.config_resources import ResourceType
from chronik.protocol.constants import BROKER_DEFAULT


@click.command(
    epilog=examples(
        "chronik topic create orders -p 6 -c retention.ms=604800000",
        "chronik topic create state -c cleanup.policy=compact --if-not-exists",
    )
)
@click.argument("names", nargs=-1, required=True)
@click.option(
    "-p",
    "--partitions",
    type=click.IntRange(1),
    metavar="N",
    help="Default: num.partitions of the broker.",
)
@click.option(
    "-r",
    "--replication-factor",
    type=click.IntRange(1),
    metavar="N",
    help="Default: that of the broker.",
)
@click.option("-c", "--config", "configs", multiple=True, metavar="KEY=VALUE", help="A topic config.")
@click.option("--assign", multiple=True, metavar="PARTITION:BROKER,...", help="Place a partition by hand.")
@click.option("--if-not-exists", is_flag=True, help="A topic that exists already is no error.")
@click.option("--validate-only", is_flag=True, help="Only check whether the topic could be created.")
@client_options
def create(
    options: ClientOptions,
    names: tuple[str, ...],
    partitions: int | None,
    replication_factor: int | None,
    configs: tuple[str, ...],
    assign: tuple[str, ...],
    if_not_exists: bool,
    validate_only: bool,
) -> int:
    """Create topics."""
    if assign and (partitions or replication_factor):
        raise click.UsageError("--assign sets the numbers of partitions and replicas: leave out -p and -r")
    topics = [
        NewTopic(
            name,
            partitions or BROKER_DEFAULT,
            replication_factor or BROKER_DEFAULT,
            pairs(configs, "--config"),
            dict(_placement(text) for text in assign),
        )
        for name in names
    ]
    accepted = {ErrorCode.TOPIC_ALREADY_EXISTS} if if_not_exists else set()

    async def work(cluster: Cluster) -> int:
        outcomes = await Admin(cluster).create_topics(topics, validate_only=validate_only)
        return _report(options, outcomes, "valid" if validate_only else "created", accepted)

    return with_cluster(options, work)


def _placement(text: str) -> tuple[int, list[int]]:
    partition, separator, brokers = text.partition(":")
    try:
        if not separator:
            raise ValueError(text)
        return int(partition), [int(broker) for broker in brokers.split(",")]
    except ValueError:
        raise click.UsageError(f"--assign {text!r} is not PARTITION:BROKER,BROKER (for example 0:1,2,3)") from None


@click.command("list", epilog=examples("chronik topic list", "chronik topic list --internal --json"))
@click.option("--internal", is_flag=True, help="Show internal topics too.")
@client_options
def list_topics(options: ClientOptions, internal: bool) -> int:
    """List topics."""

    async def work(cluster: Cluster) -> None:
        topics = [found for found in await Admin(cluster).list_topics() if internal or not found.is_internal]
        if options.as_json:
            print_json([_summary(found) for found in topics])
            return
        rows = [list(_summary(found).values()) for found in topics]
        print_table(["topic", "partitions", "replicas", "id", "internal"], rows)

    return with_cluster(options, work)


def _summary(found: TopicView) -> dict[str, Any]:
    return {
        "topic": found.name,
        "partitions": len(found.partitions),
        "replication_factor": found.replication_factor,
        "topic_id": str(found.topic_id),
        "is_internal": found.is_internal,
    }


@click.command(
    epilog=examples(
        "chronik topic alter orders -p 12",
        "chronik topic alter orders --set retention.ms=86400000 --unset segment.bytes",
        "chronik topic alter orders --trim 0:1500",
    )
)
@click.argument("name")
@click.option("-p", "--partitions", type=click.IntRange(1), metavar="N", help="The new number; it can only grow.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Set a topic config.")
@click.option("--unset", "unsets", multiple=True, metavar="KEY", help="Take a topic config back to its default.")
@click.option(
    "--trim",
    multiple=True,
    metavar="PARTITION:OFFSET",
    help="Delete the records of a partition below an offset (-1: all of them).",
)
@client_options
def alter(
    options: ClientOptions,
    name: str,
    partitions: int | None,
    sets: tuple[str, ...],
    unsets: tuple[str, ...],
    trim: tuple[str, ...],
) -> int:
    """Change a topic: more partitions, other configs, fewer records."""
    changes = config_changes(pairs(sets, "--set"), unsets)
    before = dict(_trimmed(name, text) for text in trim)
    if not (partitions or changes or before):
        raise click.UsageError("nothing to change: give --partitions, --set, --unset or --trim")

    async def work(cluster: Cluster) -> None:
        done: dict[str, Any] = {"topic": name}
        if partitions:
            (await Admin(cluster).create_partitions(name, partitions)).raise_if_refused()
            done["partitions"] = partitions
        if changes:
            await ConfigAdmin(cluster).alter(ResourceType.TOPIC, name, changes)
            done["configs"] = {key: value for key, _, value in changes}
        if before:
            starts = await Admin(cluster).delete_records(before)
            done["log_start"] = {str(at.partition): offset for at, offset in sorted(starts.items())}
        _print_done(options, done, f"topic {name} changed")

    return with_cluster(options, work)


def _trimmed(name: str, text: str) -> tuple[TopicPartition, int]:
    partition, _, offset = text.partition(":")
    try:
        return TopicPartition(name, int(partition)), int(offset)
    except ValueError:
        raise click.UsageError(f"--trim {text!r} is not PARTITION:OFFSET (for example 0:1500)") from None


@click.command(epilog=examples("chronik topic delete orders", "chronik topic delete a b --yes --if-exists"))
@click.argument("names", nargs=-1, required=True)
@click.option("-y", "--yes", is_flag=True, help="Do not ask on a terminal.")
@click.option("--if-exists", is_flag=True, help="A topic that does not exist is no error.")
@client_options
def delete(options: ClientOptions, names: tuple[str, ...], yes: bool, if_exists: bool) -> int:
    """Delete topics and all of their records."""
    if not yes and sys.stdin.isatty():
        click.confirm(f"Delete {', '.join(names)} with all records?", abort=True, err=True)
    accepted = {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION} if if_exists else set()

    async def work(cluster: Cluster) -> int:
        return _report(options, await Admin(cluster).delete_topics(names), "deleted", accepted)

    return with_cluster(options, work)


def _report(options: ClientOptions, outcomes: Iterable[TopicOutcome], done: str, accepted: set[ErrorCode]) -> int:
    outcomes = list(outcomes)
    failed = [outcome for outcome in outcomes if outcome.error and outcome.error not in accepted]
    if options.as_json:
        print_json([_outcome(outcome, done) for outcome in outcomes])
    else:
        for outcome in outcomes:
            _echo_outcome(outcome, done, outcome in failed)
    return exits.FAILED if failed else exits.OK


def _outcome(outcome: TopicOutcome, done: str) -> dict[str, Any]:
    document: dict[str, Any] = {"topic": outcome.name, "result": done if not outcome.error else outcome.error.name}
    if outcome.error:
        return {**document, "message": outcome.message}
    if outcome.partitions > 0:
        document |= {"partitions": outcome.partitions, "replication_factor": outcome.replication_factor}
    return {**document, "topic_id": str(outcome.topic_id)} if outcome.topic_id else document


def _echo_outcome(outcome: TopicOutcome, done: str, is_failure: bool) -> None:
    if not outcome.error:
        counts = f" ({outcome.partitions} partitions)" if outcome.partitions > 0 else ""
        click.echo(f"topic {outcome.name} {done}{counts}")
        return
    text = f"topic {outcome.name}: {outcome.error.name}" + (f": {outcome.message}" if outcome.message else "")
    click.echo(text if not is_failure else f"chronik: {text}", err=is_failure)
    if is_failure and outcome.error in ADVICE:
        click.echo(f"  {ADVICE[outcome.error]}", err=True)


def _print_done(options: ClientOptions, document: dict[str, Any], text: str) -> None:
    if options.as_json:
        print_json(document)
    else:
        click.echo(text)
