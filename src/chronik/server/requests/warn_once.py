"""Warnings that requests cause, logged once instead of once per request."""

import logging
from typing import Final

log = logging.getLogger(__name__)

NOTICES_MAX: Final = 1000


class Notices:
    """Remembers the logged warnings, up to a limit, after which no new warning is logged."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def warn_once(self, message: str) -> None:
        """Log the message if it has not been logged before."""
        if message not in self._said and len(self._said) < NOTICES_MAX:
            self._said.add(message)
            log.warning("%s", message)
