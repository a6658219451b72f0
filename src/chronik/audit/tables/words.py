"""Numbers, times and ranges as the audit writes them in its sentences."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

_MICROS: Final = 1_000_000
_RANGES_MAX: Final = 5


def number(value: float) -> str:
    """Write a number with its thousands apart."""
    return f"{value:,.0f}" if isinstance(value, int) or abs(value) >= 100 else f"{value:,.1f}"


def counted(count: int, noun: str) -> str:
    """Write ``1 message``, ``2 messages``."""
    return f"{number(count)} {noun}" if count == 1 else f"{number(count)} {noun}s"


def share(part: int, whole: int) -> str:
    """Write a share so that what is not all never reads as all, nor something as nothing."""
    if whole == 0:
        return "-"
    text = f"{100 * part / whole:.1f} %"
    if part < whole and text == "100.0 %":
        return "> 99.9 %"
    return "< 0.1 %" if part and text == "0.0 %" else text


def clock(at_us: int) -> str:
    """Write the time of a day, in UTC, to the millisecond."""
    if at_us < 0:
        return "a time that is not known"
    return datetime.fromtimestamp(at_us / _MICROS, UTC).strftime("%H:%M:%S.%f")[:-3]


def moment(at_us: int) -> str:
    """Write a day and its time, in UTC."""
    return "-" if at_us < 0 else datetime.fromtimestamp(at_us / _MICROS, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def duration(length_us: float) -> str:
    """Write a length of time in the unit that suits it."""
    if length_us < 0:
        return "-"
    if length_us < 1_000:
        return f"{length_us:.0f} µs"
    if length_us < _MICROS:
        return f"{length_us / 1_000:.3g} ms"
    if length_us < 120 * _MICROS:
        return f"{length_us / _MICROS:.3g} s"
    return f"{length_us / 60 / _MICROS:.3g} min"


def ranges(values: Iterable[int], most: int = _RANGES_MAX) -> str:
    """Write integers as ranges: ``17-25, 40 and 6 ranges more``."""
    runs: list[list[int]] = []
    for value in sorted(set(values)):
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    shown = ", ".join(number(low) if low == high else f"{number(low)}-{number(high)}" for low, high in runs[:most])
    return shown if len(runs) <= most else f"{shown} and {counted(len(runs) - most, 'range')} more"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Write ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""


def offset_span(first_offset: int, end_offset: int) -> str:
    """Write the first and the last offset of a range whose end is exclusive."""
    return f"{number(first_offset)}-{number(end_offset - 1)}" if 0 <= first_offset < end_offset else "-"


def plural(noun: str, count: int) -> str:
    """Write the noun as its number asks."""
    return noun if count == 1 else f"{noun}s"


def brokers(nodes: Iterable[int]) -> str:
    """Write ``broker 1``, ``brokers 1 and 3``."""
    names = [str(node) for node in sorted(nodes)]
    return f"{plural('broker', len(names))} {listed(names)}" if names else "no broker"


def unplaced(count: int, place: str) -> str:
    """Return why the counts of the partitions do not add up to the messages sent."""
    has, them = ("has", "it") if count == 1 else ("have", "them")
    return f"{counted(count, 'message')} {has} no known partition: no {place} counts {them} as sent."


def sentence(text: str) -> str:
    """Begin with a capital letter, and end with one full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
