"""What the settings say about being one of several brokers: the session, the controller's duties, going in order."""

from collections.abc import Container
from typing import Final, NamedTuple, Protocol

SESSION: Final = "broker.session.timeout.ms"
ETCD_SESSION_MS: Final = 2_000
"""With etcd only silence tells that a broker is dead, and nine seconds of it are too long to wait by default."""


class ClusterSettings(NamedTuple):
    """What a broker goes by as a member of its cluster."""

    session_ms: int
    hands_over: bool
    is_rebalancing: bool
    rebalance_interval_s: float
    imbalance_percent_max: int
    flush_interval_messages: int
    unclean_election: bool


class Values(Protocol):
    """Settings by name."""

    def number(self, name: str) -> int:
        """Give the number that holds."""

    def flag(self, name: str) -> bool:
        """Give the flag that holds."""


def cluster_settings(values: Values, chosen: Container[str], metadata_store: str) -> ClusterSettings:
    """Gather what concerns the cluster; ``chosen`` names what somebody has set."""
    has_short_session = metadata_store.startswith("etcd:") and SESSION not in chosen
    return ClusterSettings(
        session_ms=ETCD_SESSION_MS if has_short_session else values.number(SESSION),
        hands_over=values.flag("controlled.shutdown.enable"),
        is_rebalancing=values.flag("auto.leader.rebalance.enable"),
        rebalance_interval_s=float(values.number("leader.imbalance.check.interval.seconds")),
        imbalance_percent_max=values.number("leader.imbalance.per.broker.percentage"),
        flush_interval_messages=values.number("log.flush.interval.messages"),
        unclean_election=values.flag("unclean.leader.election.enable"),
    )
