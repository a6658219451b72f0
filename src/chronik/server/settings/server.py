"""The broker's settings: Kafka's names and meanings, from ``-X``, the environment, a file and defaults, in that order.

All problems are collected before an error is raised, and reported together, each with its origin.
"""

import os.path
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from chronik.metadata.configs.effective import BrokerLayers, effective_broker_config
from chronik.metadata.configs.validation import (
    BROKER_CONFIGS,
    MIN_INSYNC_REPLICAS,
    ConfigValue,
    broker_synonyms,
    did_you_mean,
    rejection_of_value,
    split_list,
)
from chronik.metadata.decisions.topics import ClusterRules
from chronik.metadata.image.keys import NOTHING
from chronik.metadata.stores.etcd.address import parse_url
from chronik.metadata.stores.port import StoreError
from chronik.model.ids import BrokerId
from chronik.server.settings.groups import CoordinatorSettings, coordinator_settings
from chronik.server.settings.listeners import Address, Listener, ListenerSettings, parse_address, resolve_listeners
from chronik.server.settings.properties_file import decode_properties, parse_properties

SESSION: Final = "broker.session.timeout.ms"
ETCD_SESSION_MS: Final = 2_000
"""With etcd a dead broker is recognised only by its silence, and Kafka's default of nine seconds is long to wait."""
NEAR_ENOUGH_FOR_A_TYPO: Final = 0.85

_NOT_SETTINGS: Final = (
    "KAFKA_HEAP_OPTS",
    "KAFKA_OPTS",
    "KAFKA_JVM_",
    "KAFKA_GC_",
    "KAFKA_LOG4J_",
    "KAFKA_TOOLS_",
    "KAFKA_JMX_",
    "KAFKA_DEBUG",
    "KAFKA_HOME",
    "KAFKA_VERSION",
    "KAFKA_CLUSTER_ID",
    "KAFKA_MODE",
    "KAFKA_USER",
    "KAFKA_GROUP",
    "KAFKA_CLASSPATH",
    "KAFKA_BOOTSTRAP_SERVERS",
    "KAFKA_BROKERS",
    "KAFKA_URL",
    "KAFKA_PORT",
    "KAFKA_SERVICE_",
    "CHRONIK_BENCH",
    "CHRONIK_TEST",
    "CHRONIK_PORT",
    "CHRONIK_SERVICE_",
)
"""Prefixes of environment variables that scripts, images and Kubernetes set for their own use."""

_NOT_BUILT: Final = {
    "ssl.": "TLS is not built yet: put a TLS proxy in front of the broker and remove this",
    "sasl.": "authentication is not built yet: remove this",
    "listener.name.": "settings of single listeners need TLS or authentication, which are not built yet: remove this",
    "authorizer.class.name": "access control is not built yet: remove this",
    "super.users": "access control is not built yet: remove this",
    "delegation.token.": "delegation tokens are not built yet: remove this",
    "remote.log.": "tiered storage is not built: remove this",
    "zookeeper.": "there is no ZooKeeper: Chronik keeps the cluster's metadata in chronik.metadata.store; remove this",
    "inter.broker.protocol.version": "Kafka 4 has dropped it: remove this",
    "log.message.format.version": "Kafka 4 has dropped it, all records are in format 2: remove this",
}


class SettingsError(Exception):
    """The settings are invalid; ``problems`` has all reasons."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        head = "the settings have a problem" if len(problems) == 1 else f"the settings have {len(problems)} problems"
        super().__init__("\n".join([f"{head}:", *(f"  - {problem}" for problem in problems)]))


class Setting(NamedTuple):
    """A value as it was set, and its origin."""

    value: str
    origin: str


class ClusterSettings(NamedTuple):
    """The settings of a broker as a member of a cluster."""

    session_ms: int
    hands_over: bool
    is_rebalancing: bool
    rebalance_interval_s: float
    imbalance_percent_max: int
    flush_interval_messages: int
    unclean_election: bool


class Settings(NamedTuple):
    """The settings of a broker."""

    node_id: BrokerId
    rack: str | None
    data_dir: str
    listeners: tuple[Listener, ...]
    inter_broker_listener: str
    http_listener: Address | None
    metadata_store: str
    cluster_rules: ClusterRules
    auto_create_topics: bool
    delete_topics: bool
    forward_produce: bool
    connections_max: int
    connections_per_ip_max: int
    connection_idle_ms_max: int
    backlog: int
    receive_buffer_bytes: int
    send_buffer_bytes: int
    request_bytes_max: int
    in_flight_bytes_max: int
    connection_in_flight_bytes_max: int
    fetch_bytes_max: int
    fetch_sessions_max: int
    describe_partitions_max: int
    producer_id_expiration_ms: int
    producer_id_check_interval_ms: int
    retention_check_interval_ms: int
    log_task_delay_ms: int
    flush_check_interval_ms: int
    recovery_point_interval_ms: int
    log_start_interval_ms: int
    high_watermark_interval_ms: int
    compaction_enabled: bool
    compaction_interval_ms: int
    replica_lag_ms_max: int
    replica_fetch_wait_ms_max: int
    replica_fetch_bytes_max: int
    replica_fetch_partition_bytes_max: int
    replica_fetch_backoff_ms: int
    groups: CoordinatorSettings
    cluster: ClusterSettings
    static: Mapping[str, str] = NOTHING
    """Every explicit setting, by name: the static layer of the broker's configs."""
    origins: Mapping[str, str] = NOTHING
    warnings: tuple[str, ...] = ()


def load_settings(
    properties_file: str | None = None,
    environ: Mapping[str, str] = NOTHING,
    overrides: Mapping[str, str] = NOTHING,
    defaults: Mapping[str, str] = NOTHING,
    *,
    hostname: str | None = None,
) -> Settings:
    """Load all settings and check them; raise SettingsError with all problems.

    ``overrides`` come from the command line and win. ``defaults`` are the caller's: they replace Kafka's defaults.
    """
    problems: list[str] = []
    warnings: list[str] = []
    found = {name: Setting(value, "default") for name, value in defaults.items()}
    found |= _from_file(properties_file, problems)
    found |= _from_environment(environ, problems, warnings)
    found |= {name: Setting(value, "-X") for name, value in overrides.items()}
    good = {name: setting for name, setting in found.items() if _check(name, setting, problems)}
    settings = _assemble(good, hostname or socket.gethostname(), problems)
    if problems:
        raise SettingsError(problems)
    return settings._replace(warnings=tuple(warnings))


def _from_file(path: str | None, problems: list[str]) -> dict[str, Setting]:
    if path is None:
        return {}
    try:
        properties = parse_properties(decode_properties(Path(path).read_bytes()))
    except OSError as error:
        problems.append(f"{path} cannot be read: {error.strerror}")
    except ValueError as error:
        problems.append(f"{path}, {error}")
    else:
        # A later line wins, as in Java.
        return {one.name: Setting(one.value.strip(), f"{path}, line {one.line}") for one in properties}
    return {}


def environment_name(variable: str) -> str:
    """Return the setting of a variable: KAFKA_LOG_DIRS is log.dirs, CHRONIK_X is chronik.x; __ is _ and ___ is -."""
    text = variable.removeprefix("KAFKA_").lower()
    return text.replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")


def _from_environment(environ: Mapping[str, str], problems: list[str], warnings: list[str]) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for variable, value in sorted(environ.items()):
        if not variable.startswith(("KAFKA_", "CHRONIK_")):
            continue
        name = environment_name(variable)
        if name in BROKER_CONFIGS or _not_built(name):
            found[name] = Setting(value.strip(), variable)
        elif not variable.startswith(_NOT_SETTINGS):
            _judge_unknown_variable(variable, name, problems, warnings)
    return found


def _judge_unknown_variable(variable: str, name: str, problems: list[str], warnings: list[str]) -> None:
    """Report a variable that looks like a typo as a problem; other variables only cause a warning."""
    hint = did_you_mean(name, BROKER_CONFIGS, cutoff=NEAR_ENOUGH_FOR_A_TYPO)
    if hint:
        problems.append(f"{variable}: unknown setting {name!r}{hint}")
    else:
        warnings.append(f"the environment variable {variable} is not a setting and is ignored")


def _check(name: str, setting: Setting, problems: list[str]) -> bool:
    definition = BROKER_CONFIGS.get(name)
    if definition is None:
        reason = _not_built(name) or f"unknown setting{did_you_mean(name, BROKER_CONFIGS)}"
        problems.append(f"{name} ({setting.origin}): {reason}")
        return False
    # An empty value unsets, as in Kafka's own container images.
    if not setting.value and definition.default is None:
        return False
    problem = rejection_of_value(definition, setting.value)
    if problem:
        problems.append(f"{problem} ({setting.origin})")
    return problem is None


def _not_built(name: str) -> str | None:
    return next((reason for beginning, reason in _NOT_BUILT.items() if name.startswith(beginning)), None)


class _Values:
    """Typed access to the effective values, including Kafka's defaults."""

    def __init__(self, static: Mapping[str, str]) -> None:
        self._layers = BrokerLayers(static=static)

    def text(self, name: str) -> str:
        return effective_broker_config(name, self._layers).value or ""

    def number(self, name: str) -> int:
        value = self._typed(name)
        assert isinstance(value, int)
        return value

    def flag(self, name: str) -> bool:
        return self._typed(name) is True

    def _typed(self, name: str) -> ConfigValue:
        return effective_broker_config(name, self._layers).typed


def _assemble(good: Mapping[str, Setting], hostname: str, problems: list[str]) -> Settings:
    static = {name: setting.value for name, setting in good.items()}
    values = _Values(static)
    listeners = resolve_listeners(_listener_settings(values, hostname), problems)
    data_dir = _data_dir(values, problems)
    metadata_store = _metadata_store(values, data_dir, problems)
    problems.extend(_relations(static, values, listeners))
    return Settings(
        node_id=_node_id(static, values),
        rack=values.text("broker.rack") or None,
        data_dir=data_dir,
        listeners=listeners,
        inter_broker_listener=_inter_broker_listener(values, listeners),
        http_listener=_http_listener(values, problems),
        metadata_store=metadata_store,
        cluster_rules=_cluster_rules(values),
        auto_create_topics=values.flag("auto.create.topics.enable"),
        delete_topics=values.flag("delete.topic.enable"),
        forward_produce=values.flag("chronik.forward.produce"),
        connections_max=values.number("max.connections"),
        connections_per_ip_max=values.number("max.connections.per.ip"),
        connection_idle_ms_max=values.number("connections.max.idle.ms"),
        backlog=values.number("socket.listen.backlog.size"),
        receive_buffer_bytes=values.number("socket.receive.buffer.bytes"),
        send_buffer_bytes=values.number("socket.send.buffer.bytes"),
        request_bytes_max=values.number("socket.request.max.bytes"),
        in_flight_bytes_max=_in_flight_bytes_max(values),
        connection_in_flight_bytes_max=values.number("chronik.connection.in.flight.bytes.max"),
        fetch_bytes_max=values.number("fetch.max.bytes"),
        fetch_sessions_max=values.number("max.incremental.fetch.session.cache.slots"),
        describe_partitions_max=values.number("max.request.partition.size.limit"),
        producer_id_expiration_ms=values.number("producer.id.expiration.ms"),
        producer_id_check_interval_ms=values.number("producer.id.expiration.check.interval.ms"),
        retention_check_interval_ms=values.number("log.retention.check.interval.ms"),
        log_task_delay_ms=values.number("log.initial.task.delay.ms"),
        flush_check_interval_ms=values.number("log.flush.scheduler.interval.ms"),
        recovery_point_interval_ms=values.number("log.flush.offset.checkpoint.interval.ms"),
        log_start_interval_ms=values.number("log.flush.start.offset.checkpoint.interval.ms"),
        high_watermark_interval_ms=values.number("replica.high.watermark.checkpoint.interval.ms"),
        compaction_enabled=values.flag("log.cleaner.enable"),
        compaction_interval_ms=values.number("log.cleaner.backoff.ms"),
        replica_lag_ms_max=values.number("replica.lag.time.max.ms"),
        replica_fetch_wait_ms_max=values.number("replica.fetch.wait.max.ms"),
        replica_fetch_bytes_max=values.number("replica.fetch.response.max.bytes"),
        replica_fetch_partition_bytes_max=values.number("replica.fetch.max.bytes"),
        replica_fetch_backoff_ms=values.number("replica.fetch.backoff.ms"),
        groups=coordinator_settings(values),
        cluster=_cluster_settings(values, static, metadata_store),
        static=static,
        origins={name: setting.origin for name, setting in good.items()},
    )


def _listener_settings(values: _Values, hostname: str) -> ListenerSettings:
    return ListenerSettings(
        values.text("listeners"),
        values.text("advertised.listeners"),
        values.text("listener.security.protocol.map"),
        values.text("controller.listener.names"),
        hostname,
    )


def _node_id(static: Mapping[str, str], values: _Values) -> BrokerId:
    # broker.id is the old name: it is used if only broker.id is set.
    name = next((name for name in broker_synonyms("node.id") if name in static), "node.id")
    return BrokerId(values.number(name))


def _data_dir(values: _Values, problems: list[str]) -> str:
    directories = split_list(values.text("log.dirs"))
    if len(directories) != 1 or not directories[0]:
        problems.append(f"log.dirs: it has {len(directories)} directories; run one broker for each disk")
        return ""
    return os.path.abspath(directories[0])


def _http_listener(values: _Values, problems: list[str]) -> Address | None:
    text = values.text("chronik.http.listener")
    if not text:
        return None
    try:
        return parse_address(text.removeprefix("http://"))
    except ValueError as error:
        problems.append(f"chronik.http.listener: {error}; leave it empty to serve no HTTP")
        return None


def _inter_broker_listener(values: _Values, listeners: tuple[Listener, ...]) -> str:
    wished = values.text("inter.broker.listener.name").upper()
    return wished or (listeners[0].name if listeners else "")


def _metadata_store(values: _Values, data_dir: str, problems: list[str]) -> str:
    url = values.text("chronik.metadata.store")
    if url.startswith("etcd:"):
        try:
            parse_url(url)
        except StoreError as error:
            problems.append(f"chronik.metadata.store: {error}")
    elif url and url != "memory:" and not url.startswith("sqlite:"):
        problems.append(f"chronik.metadata.store: {url!r} is neither sqlite:///path nor etcd://host:2379 nor memory:")
    return url or f"sqlite://{data_dir}/metadata.db"


def _in_flight_bytes_max(values: _Values) -> int:
    queued = values.number("queued.max.request.bytes")
    return queued if queued > 0 else values.number("chronik.in.flight.bytes.max")


def _cluster_rules(values: _Values) -> ClusterRules:
    return ClusterRules(
        num_partitions=values.number("num.partitions"),
        default_replication_factor=values.number("default.replication.factor"),
        min_insync_replicas=values.number(MIN_INSYNC_REPLICAS),
        topics_max=values.number("chronik.topics.max"),
        partitions_max=values.number("chronik.partitions.max"),
        partitions_per_topic_max=values.number("chronik.topic.partitions.max"),
    )


def _cluster_settings(values: _Values, static: Mapping[str, str], metadata_store: str) -> ClusterSettings:
    has_short_session = metadata_store.startswith("etcd:") and SESSION not in static
    return ClusterSettings(
        session_ms=ETCD_SESSION_MS if has_short_session else values.number(SESSION),
        hands_over=values.flag("controlled.shutdown.enable"),
        is_rebalancing=values.flag("auto.leader.rebalance.enable"),
        rebalance_interval_s=float(values.number("leader.imbalance.check.interval.seconds")),
        imbalance_percent_max=values.number("leader.imbalance.per.broker.percentage"),
        flush_interval_messages=values.number("log.flush.interval.messages"),
        unclean_election=values.flag("unclean.leader.election.enable"),
    )


def _relations(static: Mapping[str, str], values: _Values, listeners: tuple[Listener, ...]) -> Iterator[str]:
    """Return the problems between settings that are valid one by one."""
    ids = {static[name].strip() for name in ("node.id", "broker.id") if name in static}
    if len(ids) > 1:
        yield f"node.id and broker.id mean the same but differ: {' and '.join(sorted(ids))}"
    if "broker" not in split_list(values.text("process.roles")):
        yield "process.roles: Chronik has no separate controllers: set it to broker, or remove it"
    wished = values.text("inter.broker.listener.name").upper()
    if wished and listeners and wished not in {listener.name for listener in listeners}:
        yield f"inter.broker.listener.name: {wished} is not in listeners"
    if values.number("num.partitions") > values.number("chronik.topic.partitions.max"):
        yield "num.partitions is above chronik.topic.partitions.max"
    if _in_flight_bytes_max(values) < values.number("socket.request.max.bytes"):
        yield (
            "chronik.in.flight.bytes.max (or queued.max.request.bytes) is below socket.request.max.bytes,"
            " so a request of the maximum size could never be read"
        )
