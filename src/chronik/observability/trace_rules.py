"""The values of the config ``chronik.trace``: whether requests are traced, and of which clients.

``off``; ``on``; or ``client=NAME``, which traces the requests of one client id, or of all with a prefix if the name
ends in ``*``. Events without a client, such as an advance of a high watermark, are traced in both of the latter.
"""

from typing import Final, NamedTuple

_CLIENT: Final = "client="
CLIENT_CHARS_MAX: Final = 200


class TraceRule(NamedTuple):
    """Whether tracing is on, and for which clients."""

    is_on: bool = False
    client: str | None = None
    """None for all; with a ``*`` at its end for all with this prefix."""

    def covers(self, client_id: str | None) -> bool:
        """Return whether the requests of a client are traced."""
        wanted = self.client
        if not self.is_on or wanted is None:
            return self.is_on
        if wanted.endswith("*"):
            return (client_id or "").startswith(wanted[:-1])
        return client_id == wanted

    def __str__(self) -> str:
        if not self.is_on:
            return "off"
        return "on" if self.client is None else f"{_CLIENT}{self.client}"


OFF: Final = TraceRule()
ON: Final = TraceRule(is_on=True)


def parse_rule(text: str) -> TraceRule:
    """Parse a value; raise ValueError with a sentence if it is invalid."""
    if text in ("on", "off"):
        return ON if text == "on" else OFF
    client = text.removeprefix(_CLIENT)
    if client == text or not client:
        raise ValueError(f"{text!r} is not off, on, or client=NAME (client=NAME* for all names that begin so)")
    if len(client) > CLIENT_CHARS_MAX:
        raise ValueError(f"the client's name has {len(client)} characters, at most {CLIENT_CHARS_MAX} are taken")
    return TraceRule(is_on=True, client=client)


def rejection_of_rule(value: object) -> str | None:
    """Return what is wrong with a value, or None."""
    try:
        parse_rule(str(value))
    except ValueError as error:
        return str(error)
    return None
