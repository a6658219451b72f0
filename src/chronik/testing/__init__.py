"""A real broker for other people's tests: ``with chronik.testing.Broker() as broker: ...``, or pytest's fixtures.

What is exported here is loaded when it is first used, because pytest imports this package in every run of everybody
who has Chronik installed, whether their tests use it or not.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronik.testing.broker import Broker
    from chronik.testing.cluster import ClusterProcess
    from chronik.testing.process import BrokerError

__all__ = ["Broker", "BrokerError", "ClusterProcess"]


def __getattr__(name: str) -> Any:
    if name == "Broker":
        from chronik.testing.broker import Broker

        return Broker
    if name == "ClusterProcess":
        from chronik.testing.cluster import ClusterProcess

        return ClusterProcess
    if name == "BrokerError":
        from chronik.testing.process import BrokerError

        return BrokerError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
