"""The message definitions as types: fields, structs, messages, and the versions each of them lives in."""

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

FIXED_FORMATS = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "float64": "d",
    "uuid": "16s",
}
FIXED_SIZES = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16, "x": 1}
INTEGERS = ("int8", "int16", "uint16", "int32", "uint32", "int64")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(name: str) -> str:
    snake = _WORD_START.sub("_", name).lower()
    return snake + "_" if keyword.iskeyword(snake) else snake


@dataclass(frozen=True, slots=True)
class Versions:
    """An inclusive range of versions; empty when ``low > high``."""

    low: int
    high: int

    def __contains__(self, version: int) -> bool:
        return self.low <= version <= self.high

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))

    def without_last(self) -> "Versions":
        return Versions(self.low, self.high - 1)


NO_VERSIONS = Versions(0, -1)
OPEN_END = 1 << 15


def parse_versions(text: str | None) -> Versions:
    """Read ``3+``, ``0-12``, ``4`` or ``none``."""
    if text is None or text == "none":
        return NO_VERSIONS
    if text.endswith("+"):
        return Versions(int(text[:-1]), OPEN_END)
    low, _, high = text.partition("-")
    return Versions(int(low), int(high or low))


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a struct; ``struct`` is set when its type, or its element's type, is a struct."""

    name: str
    type: str
    versions: Versions
    nullable: Versions
    tagged: Versions
    tag: int
    default: str | None
    ignorable: bool
    always_plain: bool
    struct: "Struct | None"

    @property
    def is_array(self) -> bool:
        return self.type.startswith("[]")

    @property
    def element(self) -> str:
        return self.type.removeprefix("[]")

    @property
    def is_struct(self) -> bool:
        return self.struct is not None and not self.is_array

    @property
    def format(self) -> str | None:
        return FIXED_FORMATS.get(self.type)

    @property
    def is_ever_nullable(self) -> bool:
        return self.nullable != NO_VERSIONS or self.type == "records" or self.is_absent_by_default

    @property
    def is_absent_by_default(self) -> bool:
        """A tagged struct is None unless it is sent: the cheap test on the way out."""
        return self.is_struct and self.tagged != NO_VERSIONS

    def is_tagged(self, version: int) -> bool:
        return version in self.versions and version in self.tagged

    def is_plain(self, version: int) -> bool:
        """Whether it stands in the body proper, in its place."""
        return version in self.versions and version not in self.tagged


@dataclass(frozen=True, slots=True)
class Struct:
    """A named group of fields."""

    name: str
    fields: tuple[Field, ...]

    def tagged_fields(self, version: int) -> list[Field]:
        return sorted((field for field in self.fields if field.is_tagged(version)), key=lambda field: field.tag)


@dataclass(frozen=True, slots=True)
class Message:
    """A request, response, header or other top-level message, in the versions that become code."""

    name: str
    kind: str
    api_key: int | None
    versions: Versions
    flexible: Versions
    root: Struct
    structs: tuple[Struct, ...]

    def flexible_versions(self) -> list[int]:
        return [version for version in self.versions if version in self.flexible]


class _Reader:
    """Turns one JSON definition into a message, naming each struct once."""

    def __init__(self, definition: dict[str, Any], neighbours: dict[str, Struct]) -> None:
        self.definition = definition
        self.neighbours = neighbours
        self.structs: dict[str, Struct] = {}
        self.common = {item["name"]: item["fields"] for item in definition.get("commonStructs", ())}

    def message(self) -> Message:
        definition = self.definition
        root = self._struct(definition["name"], definition["fields"])
        del self.structs[root.name]
        return Message(
            name=root.name,
            kind=definition["type"],
            api_key=definition.get("apiKey"),
            versions=parse_versions(definition["validVersions"]),
            flexible=parse_versions(definition.get("flexibleVersions")),
            root=root,
            structs=tuple(self.structs.values()),
        )

    def _struct(self, name: str, fields: list[dict[str, Any]]) -> Struct:
        if name not in self.structs:
            # Children are read first, so that a class is defined before the one that holds it.
            struct = Struct(name, tuple(self._field(field) for field in fields))
            if self.neighbours.get(name, struct) != struct:
                struct = Struct(f"{self.definition['type'].title()}{name}", struct.fields)
            self.structs[name] = struct
        return self.structs[name]

    def _field(self, item: dict[str, Any]) -> Field:
        element = item["type"].removeprefix("[]")
        struct = None
        if element[0].isupper():
            struct = self._struct(element, item.get("fields") or self.common[element])
        default = item.get("default")
        return Field(
            name=snake_case(item["name"]),
            type=item["type"],
            versions=parse_versions(item["versions"]),
            nullable=parse_versions(item.get("nullableVersions")),
            tagged=parse_versions(item.get("taggedVersions")),
            tag=item.get("tag", -1),
            default=None if default is None else str(default).lower() if isinstance(default, bool) else str(default),
            ignorable=bool(item.get("ignorable", False)),
            always_plain=item.get("flexibleVersions") == "none",
            struct=struct,
        )


def read_messages(definitions: list[dict[str, Any]]) -> list[Message]:
    """The messages of one module. A struct that differs from a namesake in an earlier one says which it belongs to."""
    messages: list[Message] = []
    neighbours: dict[str, Struct] = {}
    for definition in definitions:
        messages.append(_Reader(definition, neighbours).message())
        neighbours |= {struct.name: struct for struct in messages[-1].structs}
    # Only the request says that the newest version of both may still change.
    if any(definition.get("latestVersionUnstable") for definition in definitions):
        messages = [replace(message, versions=message.versions.without_last()) for message in messages]
    return messages
