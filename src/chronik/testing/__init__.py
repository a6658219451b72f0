"""A real broker for a user's tests: ``with chronik.testing.Broker() as broker: ...``, or pytest's fixtures.

pytest imports this package in every run where Chronik is installed, so its names are loaded at their first use.
"""

from typing import TYPE_CHECKING

from chronik.model.lazy import lazy_names

if TYPE_CHECKING:
    from chronik.testing.broker import Broker
    from chronik.testing.cluster import ClusterProcess
    from chronik.testing.process import BrokerError

__all__ = ["Broker", "BrokerError", "ClusterProcess"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Broker": "chronik.testing.broker",
        "BrokerError": "chronik.testing.process",
        "ClusterProcess": "chronik.testing.cluster",
    },
)
