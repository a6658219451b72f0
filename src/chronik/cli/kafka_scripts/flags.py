"""Reading Kafka's flags: a table of long options, ``--flag value`` or ``--flag=value``, as Kafka's tools take them.

Like Kafka's parser it takes a beginning of a flag's name that fits no other flag. A flag of Kafka's that is not
supported here is in the table with what to use instead, so that nobody has to guess.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final


class Takes(Enum):
    """What follows a flag."""

    NOTHING = "nothing"
    VALUE = "value"
    MAYBE = "maybe"
    """A value may follow, or nothing."""
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag; ``text`` says what it is for or, where it is not supported, what to use instead."""

    name: str
    takes: Takes
    text: str = ""


class UsageError(Exception):
    """The flags do not make a command; the tool says why and ends with 1."""


def switch(name: str, text: str = "") -> Flag:
    """Make a flag without a value."""
    return Flag(name, Takes.NOTHING, text)


def value(name: str, text: str = "") -> Flag:
    """Make a flag with a value; it may come more than once."""
    return Flag(name, Takes.VALUE, text)


def unsupported(name: str, instead: str) -> Flag:
    """Name a flag of Kafka's that is not supported."""
    return Flag(name, Takes.UNSUPPORTED, instead)


BOOTSTRAP: Final = value("bootstrap-server", "REQUIRED: the brokers to begin with: HOST:PORT,...")
COMMAND_CONFIG: Final = value("command-config", "A file with client settings.")
HELP: Final = switch("help", "Print what the tool can do.")
VERSION: Final = switch("version", "Print the version.")


@dataclass(slots=True)
class Given:
    """The flags that were given, with their values."""

    _values: dict[str, list[str]] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        """Whether the flag was given."""
        return name in self._values

    def many(self, name: str) -> list[str]:
        """Return every value of a flag."""
        return self._values.get(name, [])

    def one(self, name: str, default: str = "") -> str:
        """Return the value of a flag; given twice it is refused."""
        values = self._values.get(name)
        if not values:
            return default
        if len(values) > 1:
            raise UsageError(f"Found multiple arguments for option {name}, but you asked for only one")
        return values[0]

    def number(self, name: str, default: int | None = None) -> int | None:
        """Return the value of a flag as a whole number."""
        if not self.many(name):
            return default
        try:
            return int(self.one(name))
        except ValueError:
            raise UsageError(f"Cannot parse argument '{self.one(name)}' of option {name}") from None

    def add(self, name: str, given: str | None) -> None:
        """Note a flag."""
        values = self._values.setdefault(name, [])
        if given is not None:
            values.append(given)

    def require(self, *names: str) -> None:
        """Refuse to go on without these."""
        for name in names:
            if name not in self:
                raise UsageError(f'Missing required argument "[{name}]"')

    def exactly_one(self, names: Sequence[str], problem: str) -> str:
        """Return the one of these flags that was given."""
        found = [name for name in names if name in self]
        if len(found) != 1:
            raise UsageError(problem)
        return found[0]

    def forbid(self, action: str, names: Iterable[str]) -> None:
        """Refuse flags that mean nothing beside another."""
        for name in names:
            if name in self:
                raise UsageError(f'Option "[{name}]" can\'t be used with option "[{action}]"')


def parse(table: Sequence[Flag], arguments: Sequence[str]) -> Given:
    """Read the arguments of a tool."""
    given = Given()
    rest = list(arguments)
    while rest:
        token = rest.pop(0)
        if not token.startswith("--") or token == "--":
            raise UsageError(f"unexpected argument '{token}': flags begin with --")
        name, separator, attached = token[2:].partition("=")
        flag = _flag(table, name)
        given.add(flag.name, _value(flag, attached if separator else None, rest))
    return given


def _flag(table: Sequence[Flag], name: str) -> Flag:
    fitting = [flag for flag in table if flag.name == name] or [flag for flag in table if flag.name.startswith(name)]
    if not name or not fitting:
        raise UsageError(f"{name} is not a recognized option")
    if len(fitting) > 1:
        raise UsageError(f"{name} is ambiguous: --{', --'.join(flag.name for flag in fitting)}")
    if fitting[0].takes is Takes.UNSUPPORTED:
        raise UsageError(f"--{fitting[0].name} is not supported: {fitting[0].text}")
    return fitting[0]


def _value(flag: Flag, attached: str | None, rest: list[str]) -> str | None:
    follows = bool(rest) and not rest[0].startswith("--")
    match flag.takes:
        case Takes.NOTHING if attached is not None:
            raise UsageError(f"Option {flag.name} does not take a value")
        case Takes.VALUE if attached is None and not follows:
            raise UsageError(f"Option {flag.name} requires an argument")
        case Takes.VALUE | Takes.MAYBE:
            return attached if attached is not None or not follows else rest.pop(0)
        case _:
            return None


def usage(table: Sequence[Flag], echo: Callable[[str], None]) -> None:
    """Print the flags."""
    echo(f"{'Option':<42}Description")
    echo(f"{'------':<42}-----------")
    for flag in sorted(table, key=lambda flag: flag.name):
        if flag.takes is not Takes.UNSUPPORTED:
            form = {Takes.VALUE: " <value>", Takes.MAYBE: " [value]"}.get(flag.takes, "")
            echo(f"{'--' + flag.name + form:<41} {flag.text}".rstrip())
