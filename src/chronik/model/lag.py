"""How far a group is behind in one partition: the one rule for every API and command that shows it."""


def lag(committed: int | None, log_start: int, high_watermark: int) -> int:
    """Count the records that a group has still to read.

    Without a committed offset, or where it has expired below the log start, counting begins at the log start. A
    position beyond the high watermark, as after a topic was made anew, is no lag.
    """
    position = log_start if committed is None else max(committed, log_start)
    return max(high_watermark - position, 0)
