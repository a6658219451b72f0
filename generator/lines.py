"""Collects lines of source with their indentation, and the packed formats that they use."""

from collections.abc import Iterator
from contextlib import contextmanager


def format_name(prefix: str, form: str) -> str:
    """The name of the packer or unpacker for a format: ``hi16sB`` becomes ``U_hi16sB``."""
    return f"{prefix}_{form.replace('?', 't')}"


class Lines:
    """Source under construction. ``fresh`` names are unique within one function."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.formats: set[tuple[str, str]] = set()
        self._depth = 1
        self._names: dict[str, int] = {}

    def add(self, line: str) -> None:
        self.text.append(" " * self._depth + line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.add(head)
        self._depth += 1
        yield
        self._depth -= 1

    def fresh(self, stem: str) -> str:
        number = self._names.get(stem, 0)
        self._names[stem] = number + 1
        return f"{stem}{number}"

    def packer(self, prefix: str, form: str) -> str:
        self.formats.add((prefix, form))
        return format_name(prefix, form)
