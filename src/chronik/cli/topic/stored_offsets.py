"""Beginning where a group has committed, without joining it."""

from collections.abc import Sequence

import click

from chronik.client.cluster import Cluster
from chronik.client.consumer import FromEarliest, FromLatest, FromOffset, Start
from chronik.client.errors import ClientError
from chronik.client.given_settings import GivenSettings
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.client.offsets import offset_bounds
from chronik.model.ids import TopicPartition


async def stored_starts(
    cluster: Cluster, given: GivenSettings, partitions: Sequence[TopicPartition]
) -> dict[TopicPartition, Start]:
    """Return the committed offsets of the group ``group.id``; where one is missing or expired, ``auto.offset.reset``."""
    if given.group_id is None:
        raise click.UsageError("-o stored: say whose offsets with -X group.id=GROUP")
    positions = (await GroupOffsetAdmin(cluster).committed([given.group_id]))[given.group_id]
    if isinstance(positions, ClientError):
        raise positions
    bounds = await offset_bounds(cluster, partitions)
    otherwise = reset_of(given)
    starts: dict[TopicPartition, Start] = {}
    for at in partitions:
        start, end = bounds[at]
        is_there = at in positions and start <= positions[at].offset <= end
        starts[at] = FromOffset(positions[at].offset) if is_there else otherwise
    return starts


def reset_of(given: GivenSettings) -> Start:
    """Return where to begin without a committed offset: at the earliest, unless ``auto.offset.reset`` says otherwise."""
    is_latest = "auto.offset.reset" in given.names and given.group.offset_reset == "latest"
    return FromLatest() if is_latest else FromEarliest()
