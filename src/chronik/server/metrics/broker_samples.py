"""The samples of one broker as a whole and, on the controller, of the cluster."""

from collections import Counter

from chronik import __version__
from chronik.metadata.image.image import Image
from chronik.model.ids import NO_BROKER
from chronik.observability.metrics import FETCH_FOLLOWER, BrokerMetrics
from chronik.server.metrics.families import Families
from chronik.server.status.pacing import Pace
from chronik.server.status.sources import Sources

SERVING = 3
"""Kafka's number for a broker that runs."""


def add_broker(families: Families, sources: Sources) -> None:
    """Add the samples of this broker alone."""
    image = sources.catalog.image
    families.add("chronik_build_info", 1, __version__, sources.node_id, image.cluster_id or "")
    families.add("kafka_server_kafkaserver_brokerstate", SERVING)
    families.add("chronik_member", int(sources.membership.lease is not None))
    families.add("chronik_store_connected", int(sources.catalog.is_connected))
    families.add("chronik_metadata_revision", image.revision)
    families.add("chronik_unsent_bytes", sources.listeners.unsent_bytes)
    _add_connections(families, sources)
    forwarder = sources.forwarder
    families.add("chronik_forwarded_total", forwarder.requests_forwarded)
    families.add("chronik_forwarded_batches_total", forwarder.batches_forwarded)
    families.add("chronik_misdirected_clients_told_total", forwarder.clients_redirected)
    _add_loop(families, sources.metrics)


def _add_connections(families: Families, sources: Sources) -> None:
    by_listener = Counter(connection.listener for connection in sources.listeners.connections)
    for listener, count in sorted(by_listener.items()):
        families.add("chronik_connections", count, listener)
        families.add("kafka_server_socket_server_metrics_connection_count", count, listener)
    families.add("chronik_connections_refused_total", sources.listeners.rejected)
    waiting = Counter(
        slot.timing.times.name
        for connection in sources.listeners.connections
        for slot in connection.pending
        if slot.timing is not None
    )
    for api in {"Produce", "Fetch", *waiting}:
        families.add("chronik_requests_waiting", waiting[api], api)
    fetches = waiting["Fetch"] + waiting[FETCH_FOLLOWER]
    families.add("kafka_server_delayedoperationpurgatory_purgatorysize", waiting["Produce"], "Produce")
    families.add("kafka_server_delayedoperationpurgatory_purgatorysize", fetches, "Fetch")


def _add_loop(families: Families, metrics: BrokerMetrics) -> None:
    families.add("chronik_event_loop_delay_longest_seconds", metrics.loop.longest_recent_s)
    for name in (
        "chronik_event_loop_idle_ratio",
        "kafka_network_socketserver_networkprocessoravgidle_percent",
        "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent",
    ):
        families.add(name, metrics.loop.idle_share)


async def add_traffic(families: Families, metrics: BrokerMetrics, pace: Pace) -> None:
    """Add incoming and outgoing traffic, of all topics together and of each."""
    prefix = "kafka_server_brokertopicmetrics_"
    whole = metrics.replicas.traffic.total()
    for topic, traffic in ((), whole), *(((name,), one) for name, one in metrics.replicas.traffic.items()):
        families.add(f"{prefix}messagesin_total", traffic.messages_in, *topic)
        families.add(f"{prefix}bytesin_total", traffic.bytes_in, *topic)
        families.add(f"{prefix}bytesout_total", traffic.bytes_out, *topic)
        families.add(f"{prefix}totalproducerequests_total", traffic.batches_in, *topic)
        families.add(f"{prefix}totalfetchrequests_total", traffic.reads, *topic)
        await pace.keep()
    families.add(f"{prefix}replicationbytesin_total", whole.replication_bytes_in)
    families.add(f"{prefix}replicationbytesout_total", whole.replication_bytes_out)
    families.add("kafka_server_replicamanager_isrshrinks_total", metrics.replicas.in_sync_shrinks)
    families.add("kafka_server_replicamanager_isrexpands_total", metrics.replicas.in_sync_expands)


async def add_cluster(families: Families, sources: Sources, pace: Pace) -> None:
    """Add the samples of the cluster, from the controller only; other brokers export 0 where Kafka's brokers do."""
    image = sources.catalog.image
    leads = image.controller is not None and image.controller.broker_id == sources.node_id
    prefix = "kafka_controller_kafkacontroller_"
    families.add(f"{prefix}activecontrollercount", int(leads))
    duty = sources.controller
    elections = duty.elections
    families.add("kafka_controller_controllerstats_uncleanleaderelections_total", duty.unclean_elections)
    families.add_summary_ms(
        "kafka_controller_controllerstats_leaderelectionrateandtimems",
        elections.counts,
        elections.count,
        elections.sum_ns,
    )
    states = [state for _, _, state in image.all_partitions()] if leads else []
    families.add(f"{prefix}offlinepartitionscount", sum(state.leader == NO_BROKER for state in states))
    families.add(f"{prefix}globaltopiccount", len(image.topics) if leads else 0)
    families.add(f"{prefix}globalpartitioncount", len(states))
    families.add(f"{prefix}activebrokercount", len(image.brokers) if leads else 0)
    imbalanced = sum(state.leader != state.replicas[0] for state in states)
    families.add(f"{prefix}preferredreplicaimbalancecount", imbalanced)
    if leads:
        await _add_members(families, image, pace)


async def _add_members(families: Families, image: Image, pace: Pace) -> None:
    families.add("kafka_brokers", len(image.brokers))
    for node, broker in sorted(image.brokers.items()):
        for endpoint in broker.registration.endpoints[:1]:
            families.add("kafka_broker_info", 1, node, f"{endpoint.host}:{endpoint.port}")
    for name, topic in sorted(image.topics.items()):
        families.add("kafka_topic_partitions", len(topic.partitions), name)
        await pace.keep()
