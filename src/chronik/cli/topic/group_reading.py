"""Printing records as a member of a group: the offsets of printed records are committed, also after Ctrl-C."""

from dataclasses import replace
from typing import Final

import click

from chronik.cli.topic.reading_range import FromStored, ReadingRange
from chronik.cli.topic.record_format import RecordPrinter
from chronik.client.cluster import Cluster
from chronik.client.consumer import FromEarliest, FromLatest
from chronik.client.groups.consumer import GroupConsumer, RebalanceListener
from chronik.client.groups.settings import GroupConsumerSettings
from chronik.client.kafka_settings import GivenSettings
from chronik.client.offsets import offset_bounds
from chronik.model.ids import TopicPartition

_QUIET_S: Final = 0.5
"""How long a poll waits before the end of the partitions is checked."""


class _Assigned(RebalanceListener):
    """Remembers whether the group has assigned partitions to this member."""

    def __init__(self) -> None:
        self.is_known = False

    async def on_assigned(self, partitions: list[TopicPartition]) -> None:
        self.is_known = True

    async def on_revoked(self, partitions: list[TopicPartition]) -> None:
        self.is_known = False

    async def on_lost(self, partitions: list[TopicPartition]) -> None:
        self.is_known = False


def member_settings(given: GivenSettings, span: ReadingRange) -> GroupConsumerSettings:
    """Return the settings of the member; without a committed offset it begins at the earliest by default."""
    match span.start:
        case FromEarliest():
            reset = "earliest"
        case FromLatest():
            reset = "latest"
        case None | FromStored():
            reset = given.group.offset_reset if "auto.offset.reset" in given.names else "earliest"
        case _:
            raise click.UsageError("a group begins at its committed offsets (see 'chronik group seek'): leave out -o")
    if span.until_ms is not None:
        raise click.UsageError("a group has no end in time: leave out -o e@TIME, or --group")
    return replace(given.group, offset_reset=reset)


async def print_as_member(
    cluster: Cluster, group: str, topic: str, settings: GroupConsumerSettings, printer: RecordPrinter, *, follow: bool
) -> None:
    """Print the records of the assigned partitions, up to their end or following them."""
    # A mistyped name must be an error, and must not create a topic.
    await cluster.topic(topic)
    assigned = _Assigned()
    consumer = GroupConsumer(cluster, group, [topic], settings=settings, listener=assigned)
    await consumer.__aenter__()
    is_printed = True
    try:
        await _print_all(cluster, consumer, assigned, printer, follow=follow)
    except Exception:
        is_printed = False
        raise
    finally:
        # An interruption comes between two prints: every polled record has been printed, so its offset is committed.
        await consumer.close(commit=is_printed)


async def _print_all(
    cluster: Cluster, consumer: GroupConsumer, assigned: _Assigned, printer: RecordPrinter, *, follow: bool
) -> None:
    while not printer.is_done:
        fetched = await consumer.poll(_QUIET_S)
        if fetched is not None:
            end = printer.print_fetched(fetched)
            if printer.is_done and end is not None:
                await consumer.seek(fetched.topic_partition, end)
        elif not follow and assigned.is_known and await _is_at_end(cluster, consumer):
            return


async def _is_at_end(cluster: Cluster, consumer: GroupConsumer) -> bool:
    partitions = consumer.assignment
    if not partitions:
        click.echo("chronik: all partitions are assigned to other members of the group", err=True)
        return True
    positions = consumer.positions
    if not all(at in positions for at in partitions):
        return False
    bounds = await offset_bounds(cluster, partitions)
    return all(positions[at] >= end for at, (_, end) in bounds.items())
