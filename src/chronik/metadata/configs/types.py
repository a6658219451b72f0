"""Config definitions: types, update modes, and checks of values."""

import re
from collections.abc import Callable
from enum import Enum, IntEnum
from typing import Final, NamedTuple

INT_MAX: Final = 2**31 - 1
LONG_MAX: Final = 2**63 - 1
ConfigValue = bool | int | float | str | tuple[str, ...] | None


class ConfigType(IntEnum):
    """The types of values; the numbers are the wire's."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class UpdateMode(Enum):
    """Whether a broker config may change while the broker runs, and for which brokers."""

    READ_ONLY = "read-only"
    PER_BROKER = "per-broker"
    CLUSTER_WIDE = "cluster-wide"


Check = Callable[[ConfigValue], str | None]
"""Returns the problem of a parsed value, or None."""


class ConfigDefinition(NamedTuple):
    """One config: name, type, default, checks, help text."""

    name: str
    type: ConfigType
    default: str | None
    doc: str
    check: Check | None = None
    synonym: str | None = None
    """For a topic config: the broker config with its default."""
    update: UpdateMode = UpdateMode.READ_ONLY
    sensitive: bool = False
    internal: bool = False
    """Works, but is not listed to clients."""

    def parse(self, text: str) -> ConfigValue:
        """Parse text; raise ValueError with a sentence that names the config."""
        try:
            value = _PARSERS[self.type](text.strip())
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None
        problem = self.check(value) if self.check else None
        if problem:
            raise ValueError(f"{self.name}: {problem}")
        return value


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text.lower() == "true"


def _integer(low: int, high: int, kind: str) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,20}", text):
            raise ValueError(f"{text!r} is not a whole number")
        value = int(text)
        if not low <= value <= high:
            raise ValueError(f"{text} does not fit in a {kind}-bit number")
        return value

    return parse


def _double(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None
    if value != value:
        raise ValueError("the value is not a number")
    return value


def split_list(text: str) -> tuple[str, ...]:
    """Split a comma-separated list; an empty text is an empty list."""
    return tuple(item.strip() for item in text.split(",")) if text.strip() else ()


_PARSERS: Final[dict[ConfigType, Callable[[str], ConfigValue]]] = {
    ConfigType.BOOLEAN: _boolean,
    ConfigType.STRING: str,
    ConfigType.INT: _integer(-(2**31), INT_MAX, "32"),
    ConfigType.SHORT: _integer(-(2**15), 2**15 - 1, "16"),
    ConfigType.LONG: _integer(-(2**63), LONG_MAX, "64"),
    ConfigType.DOUBLE: _double,
    ConfigType.LIST: split_list,
    ConfigType.CLASS: str,
    ConfigType.PASSWORD: str,
}


def between(low: float, high: float | None = None) -> Check:
    """Require a number from ``low`` to ``high``, inclusive."""

    def check(value: ConfigValue) -> str | None:
        assert isinstance(value, int | float)
        if value < low:
            return f"{value} is too small: at least {low} is needed"
        return f"{value} is too large: at most {high} is allowed" if high is not None and value > high else None

    return check


def one_of(*allowed: str) -> Check:
    """Require one of these words."""

    def check(value: ConfigValue) -> str | None:
        return None if value in allowed else f"{value!r} is not one of {', '.join(allowed)}"

    return check


def some_of(*allowed: str) -> Check:
    """Require a non-empty list of these words without repetition."""

    def check(value: ConfigValue) -> str | None:
        assert isinstance(value, tuple)
        wrong = [item for item in value if item not in allowed]
        if wrong or not value:
            return f"{','.join(value)!r} is not a list of {', '.join(allowed)}"
        return None if len(set(value)) == len(value) else f"{','.join(value)!r} names something twice"

    return check


def only(allowed: str, known: tuple[str, ...], reason: str) -> Check:
    """Require one of Kafka's words, and reject with a reason all but the supported one."""
    is_known = one_of(*known)

    def check(value: ConfigValue) -> str | None:
        problem = is_known(value)
        return problem or (None if value == allowed else f"{value!r} is not built yet: {reason}")

    return check


def must_be_false(reason: str) -> Check:
    """Reject ``true`` for a feature that Chronik does not have."""

    def check(value: ConfigValue) -> str | None:
        return reason if value is True else None

    return check


def throttled_replicas(value: ConfigValue) -> str | None:
    """Require ``*`` or a list of partition:broker."""
    assert isinstance(value, tuple)
    if value == ("*",) or all(re.fullmatch(r"[0-9]+:[0-9]+", item) for item in value):
        return None
    return f"{','.join(value)!r} is neither '*' nor a list like 0:1,1:2 of partition:broker"
