r"""Escapes in texts of the command line, as kcat writes them: ``\n``, ``\t``, ``\r``, ``\0``, ``\\``, ``\xNN``."""

import re
from typing import Final

_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|.|$)", re.DOTALL)
_SIMPLE: Final = {"n": b"\n", "t": b"\t", "r": b"\r", "0": b"\0", "\\": b"\\"}


def unescaped(text: str) -> bytes:
    """Return the bytes of a text with escapes; raise ValueError for an unknown escape."""
    parts: list[bytes] = []
    position = 0
    for found in _ESCAPE.finditer(text):
        parts.append(text[position : found.start()].encode())
        parts.append(_escape(found[1]))
        position = found.end()
    return b"".join((*parts, text[position:].encode()))


def _escape(code: str) -> bytes:
    if len(code) == 3:
        return bytes([int(code[1:], 16)])
    if code not in _SIMPLE:
        raise ValueError(rf"unknown escape '\{code}': use \n, \t, \r, \0, \\ or \xNN")
    return _SIMPLE[code]
