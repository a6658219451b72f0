"""Times and durations as people write them on a command line."""

import re
from datetime import datetime
from typing import Final

_ISO_DURATION = re.compile(
    r"P(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?",
    re.IGNORECASE,
)
_SHORT_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNIT_MS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_PART_MS: Final = {"weeks": 604_800_000, "days": 86_400_000, "hours": 3_600_000, "minutes": 60_000, "seconds": 1000}


def milliseconds_of(text: str) -> int:
    """Read an ISO 8601 time; one without a zone is the time of this machine."""
    return int(datetime.fromisoformat(text).astimezone().timestamp() * 1000)


def duration_ms_of(text: str) -> int:
    """Read a duration: ISO 8601 (P1DT2H) or a number with ms, s, m, h or d (90s)."""
    short = _SHORT_DURATION.fullmatch(text)
    if short:
        return int(float(short[1]) * _UNIT_MS[short[2]])
    found = _ISO_DURATION.fullmatch(text)
    parts = {name: float(value) for name, value in found.groupdict().items() if value} if found else {}
    if not parts:
        raise ValueError(f"{text!r} is not a duration like 90s, 15m, 2h, 1d or P1DT2H")
    return int(sum(value * _PART_MS[name] for name, value in parts.items()))
