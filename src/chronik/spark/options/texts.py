"""How the text of an option is read; a ValueError says what to write instead."""

import re
from collections.abc import Callable
from typing import Final

from chronik.client.cluster import parse_bootstrap
from chronik.spark.planning.slices import View

_UNITS_MS: Final = {"": 1, "ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}


def addresses(text: str) -> str:
    """Check addresses of brokers."""
    parse_bootstrap(text)
    return text


def flag(text: str) -> bool:
    """Read true or false."""
    if text.lower() not in ("true", "false"):
        raise ValueError("use true or false")
    return text.lower() == "true"


def whole(lowest: int) -> Callable[[str], int]:
    """Read a whole number."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"[+-]?\d+", text) or int(text) < lowest:
            raise ValueError(f"use a whole number of at least {lowest}")
        return int(text)

    return parse


def duration_ms(text: str) -> int:
    """Read a time as Spark writes it; without a unit it is in milliseconds."""
    match = re.fullmatch(r"(\d+)\s*([a-z]*)", text.lower())
    if match is None or match[2] not in _UNITS_MS:
        raise ValueError("use a time such as 500ms, 30s, 15m or 2h")
    return int(match[1]) * _UNITS_MS[match[2]]


def view(text: str) -> View:
    """Read the name of a view."""
    if text.lower() not in set(View):
        raise ValueError(f"use one of {', '.join(View)}")
    return View(text.lower())


def is_latest(text: str) -> bool:
    """Read what to do where no record is as late as a time."""
    if text.lower() not in ("error", "latest"):
        raise ValueError("use error or latest")
    return text.lower() == "latest"


def topic(text: str) -> str:
    """Read the name of one topic."""
    if not text:
        raise ValueError("name the topic")
    return text
