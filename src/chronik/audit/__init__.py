"""The audit: the outcome of every message, the evidence for it, and the cause.

It runs on any Kafka-compatible cluster and without Spark. It needs pyarrow and numpy, which come with the extra
``chronik[spark]``; the names below are loaded at their first use.
"""

from chronik.model.lazy import lazy_names

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ProducerLedger": "chronik.audit.ledger.producer",
        "ConsumerLedger": "chronik.audit.ledger.consumer",
        "Evidence": "chronik.audit.tables.evidence",
    },
)
