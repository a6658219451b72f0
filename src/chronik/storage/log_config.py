"""The settings of one log, with the meanings and defaults of Kafka's topic configs."""

from dataclasses import dataclass
from typing import Final
from zlib import crc32

DAY_MS: Final = 24 * 60 * 60 * 1000
UNLIMITED: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class LogConfig:
    """How one log rolls, flushes, expires and compacts; a retention of -1 means no limit."""

    segment_bytes: int = 1024 * 1024 * 1024
    segment_ms: int = 7 * DAY_MS
    segment_jitter_ms: int = 0
    segment_index_bytes: int = 10 * 1024 * 1024
    index_interval_bytes: int = 4096
    retention_ms: int = 7 * DAY_MS
    retention_bytes: int = -1
    cleanup_delete: bool = True
    cleanup_compact: bool = False
    delete_retention_ms: int = DAY_MS
    min_cleanable_dirty_ratio: float = 0.5
    min_compaction_lag_ms: int = 0
    max_compaction_lag_ms: int = UNLIMITED
    file_delete_delay_ms: int = 60_000
    max_message_bytes: int = 1024 * 1024 + 12
    flush_messages: int = UNLIMITED
    flush_ms: int = UNLIMITED

    def roll_after_ms(self, directory: str, base_offset: int) -> int:
        """Return the age at which a segment rolls; its jitter comes from its name, so that runs can be repeated."""
        if self.segment_jitter_ms <= 0:
            return self.segment_ms
        drawn = crc32(f"{directory}/{base_offset}".encode()) % self.segment_jitter_ms
        return max(self.segment_ms - drawn, 1)
