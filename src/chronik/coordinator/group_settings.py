"""What an operator sets about groups."""

from dataclasses import dataclass
from typing import Final

_WEEK_MS: Final = 7 * 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """The limits and time-outs of every group of a broker; the defaults are Kafka's."""

    session_timeout_ms_min: int = 6_000
    session_timeout_ms_max: int = 1_800_000
    group_size_max: int = 2**31 - 1
    initial_rebalance_delay_ms: int = 3_000
    offsets_retention_ms: int = _WEEK_MS
    offset_metadata_bytes_max: int = 4_096
    record_bytes_max: int = 1_048_588
    """What the records of one step may take, as far as a client decides how much it is."""
    new_member_join_timeout_ms: int = 300_000
    """How long a member that nobody has heard of before may wait for its first generation."""
