"""A command in a terminal of a given size: what its screen shows, keys that are pressed, and how it is left."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Sequence
from typing import Any, Self

SECONDS_MAX = 60.0
HOME = "\x1b[H"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """A pseudo-terminal with a process in it; ``screen`` is what was drawn last."""

    def __init__(self, command: Sequence[str], columns: int, rows: int, **environment: str) -> None:
        self._ours, self._theirs = pty.openpty()
        self._resize(columns, rows)
        self.before = termios.tcgetattr(self._theirs)
        self._bytes = b""
        variables = {**os.environ, "TERM": "xterm-256color", **environment}
        self.process = subprocess.Popen(
            command,
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            env=variables,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    @property
    def written(self) -> str:
        """All that came, up to the last whole character."""
        return self._bytes.decode(errors="ignore")

    @property
    def screen(self) -> list[str]:
        """The lines of the last picture that was drawn as a whole."""
        pictures = self.written.split(HOME)
        whole = [picture for picture in pictures[1:] if "\x1b[J" in picture]
        return [] if not whole else CONTROL.sub("", whole[-1].partition("\x1b[J")[0]).split("\r\n")

    @property
    def settings(self) -> list[Any]:
        """How the terminal takes keys."""
        return termios.tcgetattr(self._theirs)

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Read until something holds."""
        deadline = time.monotonic() + SECONDS_MAX
        while not holds():
            assert time.monotonic() < deadline, f"{what} did not come:\n" + "\n".join(self.screen)
            self._read(0.1)

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Change the size, as a window manager does: the kernel tells the process."""
        self._resize(columns, rows)
        os.killpg(self.process.pid, signal.SIGWINCH)

    def end(self) -> int:
        """Wait for the process and read all that it wrote."""
        self.until(lambda: self.process.poll() is not None, "the end")
        while self._read(0):
            pass
        return self.process.wait()

    def _resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self, seconds: float) -> bool:
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        self._bytes += os.read(self._ours, 65_536)
        return True
