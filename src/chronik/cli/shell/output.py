"""Output of commands: tables, JSON, and progress on a terminal only.

A table in a pipe is plain aligned text, so that lines are never cut to the width of a terminal.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import click

Rows = Sequence[Sequence[object]]

_GAP: Final = "  "


def print_json(document: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, default=str))


def print_json_line(document: Any) -> None:
    """Print one line of a stream of JSON documents."""
    click.echo(json.dumps(document, ensure_ascii=False, default=str))


def print_table(columns: Sequence[str], rows: Rows, *, title: str = "") -> None:
    """Print a table; columns of numbers, some of which may be missing, are right-aligned."""
    cells = [[_text(cell) for cell in row] for row in rows]
    is_number = [_are_numbers([row[i] for row in rows]) for i in range(len(columns))]
    if sys.stdout.isatty():
        _print_rich(columns, cells, is_number, title)
    else:
        _print_plain(columns, cells, is_number, title)


def _are_numbers(cells: Sequence[object]) -> bool:
    return any(map(_is_number, cells)) and all(cell is None or _is_number(cell) for cell in cells)


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _text(cell: object) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, list | tuple):
        return ",".join(str(item) for item in cell)
    return str(cell)


def _print_rich(columns: Sequence[str], cells: list[list[str]], is_number: list[bool], title: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD)
    for name, right in zip(columns, is_number, strict=True):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def _print_plain(columns: Sequence[str], cells: list[list[str]], is_number: list[bool], title: str) -> None:
    if title:
        click.echo(title)
    lines = [list(columns), *cells]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    for line in lines:
        padded = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, is_number, strict=True)
        )
        click.echo(_GAP.join(padded).rstrip())


@contextmanager
def progress(description: str, total: int | None = None, *, is_wanted: bool = True) -> Iterator[Callable[[int], None]]:
    """Return a function that takes the progress of the work, and shows it on a terminal only.

    It is not wanted where somebody types, or reads the work's own output, on that terminal.
    """
    if not is_wanted or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.update(task, completed=done)
