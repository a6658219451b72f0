"""From the settings to what each part goes by that makes a broker one of several."""

from chronik.metadata.decisions.elections import ElectionRules
from chronik.server.cluster.controller import DutyRules
from chronik.server.cluster.membership import MembershipRules
from chronik.server.produce.forwarding import ForwardingRules
from chronik.server.settings.server import Settings


def membership_rules(settings: Settings) -> MembershipRules:
    cluster = settings.cluster
    return MembershipRules(cluster.session_ms, flushes_every_append=cluster.flush_interval_messages == 1)


def forwarding_rules(settings: Settings) -> ForwardingRules:
    return ForwardingRules(
        settings.node_id,
        settings.forward_produce,
        settings.inter_broker_listener,
        settings.connection_in_flight_bytes_max,
    )


def duty_rules(settings: Settings) -> DutyRules:
    cluster = settings.cluster
    return DutyRules(
        ElectionRules(cluster.unclean_election),
        cluster.is_rebalancing,
        cluster.rebalance_interval_s,
        cluster.imbalance_percent_max,
    )
