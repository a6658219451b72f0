"""A terminal used as a screen: taken over as a whole, drawn in place, and given back as it was."""

import contextlib
import os
import shutil
import sys
import termios
import tty
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TextIO

_TAKE: Final = "\x1b[?1049h\x1b[?25l"
_GIVE_BACK: Final = "\x1b[?25h\x1b[?1049l"
_HOME: Final = "\x1b[H"
_CLEAR_LINE: Final = "\x1b[2K"
_REST_OF_SCREEN: Final = "\x1b[J"


def may_colour(environ: Mapping[str, str], stream: TextIO) -> bool:
    """Return whether to use colour: on a terminal that supports it, unless NO_COLOR is set."""
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM", "") not in ("", "dumb")


def is_interactive() -> bool:
    """Return whether standard input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextlib.contextmanager
def taken_screen() -> Iterator[None]:
    """Switch to the alternate screen without a cursor and with unbuffered keys; restore the terminal at the end."""
    keys = sys.stdin.fileno()
    before = termios.tcgetattr(keys)
    try:
        tty.setcbreak(keys)
        _write(_TAKE)
        yield
    finally:
        _write(_GIVE_BACK)
        termios.tcsetattr(keys, termios.TCSADRAIN, before)


def draw(lines: Sequence[str]) -> None:
    """Draw over what was there, in one write, so that nothing flickers."""
    # A line is cleared before it is written: behind one that fills the screen its last character would go.
    body = "\n".join(f"{_CLEAR_LINE}{line}" for line in lines)
    _write(f"{_HOME}{body}{_REST_OF_SCREEN}")


def size() -> tuple[int, int]:
    """Columns and rows, as they are now."""
    try:
        found = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        found = shutil.get_terminal_size()
    return (found.columns or 80, found.lines or 24)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
