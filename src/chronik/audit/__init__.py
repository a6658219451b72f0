"""The audit: what became of every message, by whose account, and why.

It runs on any Kafka-compatible cluster and without Spark. pyarrow and numpy, which it needs, come with the extra
``chronik[spark]``; what is named here is loaded when it is used.
"""

from importlib import import_module
from typing import Any

_NAMES = {
    "ProducerLedger": "chronik.audit.ledger.producer",
    "ConsumerLedger": "chronik.audit.ledger.consumer",
    "Evidence": "chronik.audit.tables.evidence",
}


def __getattr__(name: str) -> Any:
    """Load a name when it is asked for."""
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_NAMES[name]), name)


def __dir__() -> list[str]:
    """List the names too that are not loaded yet."""
    return sorted([*globals(), *_NAMES])
