"""What the config ``chronik.trace`` may say: whether requests are traced, and whose.

``off``; ``on``; or ``client=NAME``, which follows the requests of one client id, of all that begin alike where the
name ends in ``*``. What belongs to no client, such as an advance of a watermark, is told in both of the latter.
"""

from typing import Final, NamedTuple

_CLIENT: Final = "client="
CLIENT_CHARS_MAX: Final = 200


class TraceRule(NamedTuple):
    """Whether there is a trace, and of which clients."""

    is_on: bool = False
    client: str | None = None
    """None for all; with a ``*`` at its end for all that begin with what is before it."""

    def covers(self, client_id: str | None) -> bool:
        """Whether the requests of a client are traced."""
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
    """Understand a value; ValueError with a sentence where it has no meaning."""
    if text in ("on", "off"):
        return ON if text == "on" else OFF
    client = text.removeprefix(_CLIENT)
    if client == text or not client:
        raise ValueError(f"{text!r} is not off, on, or client=NAME (client=NAME* for all names that begin so)")
    if len(client) > CLIENT_CHARS_MAX:
        raise ValueError(f"the client's name has {len(client)} characters, at most {CLIENT_CHARS_MAX} are taken")
    return TraceRule(is_on=True, client=client)


def rejection_of_rule(value: object) -> str | None:
    """Say what is wrong with a value of the config, or None where it is good."""
    try:
        parse_rule(str(value))
    except ValueError as error:
        return str(error)
    return None
