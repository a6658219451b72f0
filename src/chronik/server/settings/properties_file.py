"""Reading ``server.properties``: the syntax of Java's properties files."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

_BLANK: Final = " \t\f"
_ESCAPED: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_KEY: Final = re.compile(r"((?:\\.|[^\\:= \t\f])*)[ \t\f]*(?:[:=][ \t\f]*)?(.*)", re.DOTALL)


class Property(NamedTuple):
    """One setting of a file, and the line on which it begins."""

    name: str
    value: str
    line: int


def parse_properties(text: str) -> list[Property]:
    """Return all settings in order; raise ValueError, with the line, for an invalid escape."""
    return [_parse_line(line, number) for number, line in _logical_lines(_natural_lines(text))]


def decode_properties(content: bytes) -> str:
    """Decode a file as UTF-8, or else as Latin-1, in which Java wrote such files for decades."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _natural_lines(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


def _logical_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Join lines that end in a backslash with the next; drop blank ones and comments."""
    begun, start = "", 0
    for number, natural in enumerate(lines, 1):
        line = natural.lstrip(_BLANK)
        if not start:
            if not line or line[0] in "#!":
                continue
            start = number
        if _continues(line):
            begun += line[:-1]
            continue
        yield start, begun + line
        begun, start = "", 0
    if start:
        yield start, begun


def _continues(line: str) -> bool:
    backslashes = len(line) - len(line.rstrip("\\"))
    return backslashes % 2 == 1


def _parse_line(line: str, number: int) -> Property:
    match = _KEY.fullmatch(line)
    assert match is not None
    try:
        return Property(_unescape(match[1]), _unescape(match[2]), number)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None


def _unescape(text: str) -> str:
    return re.sub(r"\\(u.{0,4}|.)", _replacement, text, flags=re.DOTALL) if "\\" in text else text


def _replacement(match: re.Match[str]) -> str:
    escaped = match[1]
    if escaped[0] != "u":
        return _ESCAPED.get(escaped, escaped)
    if not re.fullmatch("u[0-9a-fA-F]{4}", escaped):
        raise ValueError(f"\\{escaped} is not a valid \\uXXXX escape")
    return chr(int(escaped[1:], 16))
