"""Settings: where they come from, which wins, and what is said about bad ones."""

from pathlib import Path

import pytest

from chronik.metadata.configs.validation import BROKER_CONFIGS
from chronik.server.settings.listeners import Address, Listener, parse_address
from chronik.server.settings.properties_file import Property, decode_properties, parse_properties
from chronik.server.settings.server import ETCD_SESSION_MS, Settings, SettingsError, environment_name, load_settings

KAFKAS_OWN_FILE = """\
# The settings of a KRaft node in combined mode
process.roles=broker,controller
node.id=7
controller.quorum.bootstrap.servers=localhost:9093
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
inter.broker.listener.name=PLAINTEXT
advertised.listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT
num.network.threads=3
num.io.threads=8
socket.send.buffer.bytes=102400
socket.receive.buffer.bytes=102400
socket.request.max.bytes=104857600
log.dirs=/tmp/kraft-combined-logs
num.partitions=1
num.recovery.threads.per.data.dir=1
offsets.topic.replication.factor=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.retention.hours=168
log.segment.bytes=1073741824
log.retention.check.interval.ms=300000
"""


def problems_of(**arguments: object) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as raised:
        load_settings(**arguments)  # type: ignore[arg-type]
    assert all(problem in str(raised.value) for problem in raised.value.problems)
    return raised.value.problems


def with_listeners(listeners: str, **more: str) -> Settings:
    names = {name.replace("_", "."): value for name, value in more.items()}
    return load_settings(overrides={"listeners": listeners} | names, hostname="this-machine")


def test_without_any_settings_a_broker_listens_on_the_loopback() -> None:
    settings = load_settings()
    assert settings.listeners == (Listener("PLAINTEXT", "127.0.0.1", 9092, "127.0.0.1", 9092),)
    assert settings.node_id == 1
    assert settings.metadata_store == f"sqlite://{settings.data_dir}/metadata.db"
    assert settings.metadata_store.startswith("sqlite:///")
    assert settings.static == {}


def test_the_file_that_kafka_ships_is_taken_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text(KAFKAS_OWN_FILE)
    settings = load_settings(str(file))
    assert settings.node_id == 7
    assert settings.listeners == (Listener("PLAINTEXT", "", 9092, "localhost", 9092),)
    assert settings.data_dir == "/tmp/kraft-combined-logs"
    assert settings.origins["node.id"] == f"{file}, line 3"
    assert settings.warnings == ()


def test_command_line_wins_over_environment_over_file_over_defaults(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("num.partitions=2\nlog.dirs=/file\nnode.id=2\n")
    settings = load_settings(
        str(file),
        {"KAFKA_NUM_PARTITIONS": "3", "KAFKA_LOG_DIRS": "/environment"},
        {"num.partitions": "4"},
        {"num.partitions": "1", "log.dirs": "/default", "node.id": "1", "broker.rack": "a"},
    )
    assert settings.cluster_rules.num_partitions == 4
    assert settings.data_dir == "/environment"
    assert settings.node_id == 2
    assert settings.rack == "a"
    origins = {name: settings.origins[name] for name in ("num.partitions", "log.dirs", "node.id", "broker.rack")}
    assert origins == {
        "num.partitions": "-X",
        "log.dirs": "KAFKA_LOG_DIRS",
        "node.id": f"{file}, line 3",
        "broker.rack": "default",
    }


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("KAFKA_LOG_DIRS", "log.dirs"),
        ("KAFKA_LISTENER_SECURITY_PROTOCOL_MAP", "listener.security.protocol.map"),
        ("CHRONIK_FORWARD_PRODUCE", "chronik.forward.produce"),
        ("KAFKA_A__B_C", "a_b.c"),
        ("KAFKA_A___B", "a-b"),
    ],
)
def test_environment_variables_are_spelled_as_in_kafkas_images(variable: str, name: str) -> None:
    assert environment_name(variable) == name


def test_environment_of_scripts_and_kubernetes_does_not_stop_a_start() -> None:
    noise = ["KAFKA_HEAP_OPTS", "KAFKA_OPTS", "KAFKA_LOG4J_OPTS", "KAFKA_JMX_PORT", "KAFKA_PORT_9092_TCP", "PATH"]
    settings = load_settings(environ=dict.fromkeys(noise, "x"))
    assert settings.warnings == ()


def test_foreign_variable_is_mentioned_and_a_slip_is_refused() -> None:
    settings = load_settings(environ={"KAFKA_UI_PASSWORD_RESET": "x"})
    assert [warning for warning in settings.warnings if "KAFKA_UI_PASSWORD_RESET" in warning]
    (problem,) = problems_of(environ={"KAFKA_NUM_PARTITION": "3"})
    assert "KAFKA_NUM_PARTITION" in problem
    assert "'num.partitions'" in problem


def test_all_problems_are_told_at_once_each_with_its_origin(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("num.partitions=many\n\nlog.retention.hour=1\n")
    problems = problems_of(
        properties_file=str(file),
        environ={"KAFKA_MESSAGE_MAX_BYTES": "-1"},
        overrides={"listeners": "PLAINTEXT://0.0.0.0:9092", "log.segment.bytes": "5", "min.insync.replicas": "0"},
    )
    assert len(problems) == 6
    told = "\n".join(problems)
    assert f"'many' is not a whole number ({file}, line 1)" in told
    assert f"log.retention.hour ({file}, line 3): unknown setting; did you mean 'log.retention.hours'?" in told
    assert "(KAFKA_MESSAGE_MAX_BYTES)" in told
    assert "log.segment.bytes: 5 is too small: at least 1048576 is needed (-X)" in told
    assert "0.0.0.0" in told


def test_missing_file_and_bad_escape_are_problems_not_crashes(tmp_path: Path) -> None:
    (missing,) = problems_of(properties_file=str(tmp_path / "none"))
    assert "cannot be read" in missing
    bad = tmp_path / "bad.properties"
    bad.write_text("a=1\nb=\\u12\n")
    (escape,) = problems_of(properties_file=str(bad))
    assert f"{bad}, line 2" in escape


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "[0:0:0:0:0:0:0:0]"])
def test_wildcard_is_never_advertised_and_the_refusal_says_what_to_do(host: str) -> None:
    (problem,) = problems_of(overrides={"listeners": f"PLAINTEXT://{host}:9092"})
    assert "advertised.listeners=PLAINTEXT://HOST:9092" in problem
    (explicit,) = problems_of(overrides={"advertised.listeners": f"PLAINTEXT://{host}:9092"})
    assert explicit.startswith("advertised.listeners:")


def test_wildcard_may_be_bound_where_another_address_is_advertised() -> None:
    settings = with_listeners("PLAINTEXT://0.0.0.0:9092", advertised_listeners="PLAINTEXT://kafka.example:19092")
    assert settings.listeners == (Listener("PLAINTEXT", "0.0.0.0", 9092, "kafka.example", 19092),)


def test_empty_host_binds_everything_and_advertises_this_machine() -> None:
    assert with_listeners("PLAINTEXT://:9092").listeners == (Listener("PLAINTEXT", "", 9092, "this-machine", 9092),)


def test_ipv6_addresses_lose_their_brackets() -> None:
    assert with_listeners("PLAINTEXT://[::1]:0").listeners == (Listener("PLAINTEXT", "::1", 0, "::1", 0),)
    assert parse_address("[fe80::1%eth0]:9092") == Address("fe80::1%eth0", 9092)


def test_ipv6_without_brackets_is_refused_with_a_hint() -> None:
    (problem,) = problems_of(overrides={"listeners": "PLAINTEXT://::1:9092"})
    assert "brackets" in problem


def test_named_listeners_of_a_container_each_advertise_their_own_address() -> None:
    settings = load_settings(
        environ={
            "KAFKA_LISTENERS": "INTERNAL://:29092, external://0.0.0.0:9092",
            "KAFKA_ADVERTISED_LISTENERS": "INTERNAL://broker:29092,EXTERNAL://localhost:19092",
            "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT",
            "KAFKA_INTER_BROKER_LISTENER_NAME": "INTERNAL",
        }
    )
    assert settings.listeners == (
        Listener("INTERNAL", "", 29092, "broker", 29092),
        Listener("EXTERNAL", "0.0.0.0", 9092, "localhost", 19092),
    )
    assert settings.inter_broker_listener == "INTERNAL"


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ({"listeners": "9092"}, "NAME://host:port"),
        ({"listeners": "PLAINTEXT://localhost"}, "is not host:port"),
        ({"listeners": "PLAINTEXT://localhost:70000"}, "above 65535"),
        ({"listeners": "PLAINTEXT://a:1,PLAINTEXT://b:2"}, "occurs twice"),
        ({"listeners": "EXTERNAL://a:1"}, "add EXTERNAL:PLAINTEXT"),
        ({"listeners": "SSL://a:1"}, "only PLAINTEXT yet"),
        ({"advertised.listeners": "PLAINTEX://a:1"}, "did you mean 'PLAINTEXT'"),
        ({"listeners": "CONTROLLER://a:1", "controller.listener.names": "CONTROLLER"}, "none is for clients"),
        ({"listener.security.protocol.map": "PLAINTEXT:TLS"}, "is not NAME:PROTOCOL"),
        ({"inter.broker.listener.name": "INTERNAL"}, "INTERNAL is not in listeners"),
        ({"ssl.keystore.location": "/k"}, "TLS is not built yet"),
        ({"sasl.enabled.mechanisms": "PLAIN"}, "authentication is not built yet"),
        ({"zookeeper.connect": "z:2181"}, "there is no ZooKeeper"),
        ({"compression.type": "gzip"}, "not built yet"),
        ({"remote.log.storage.system.enable": "true"}, "tiered storage is not supported"),
        ({"chronik.metadata.store": "etcd://a:b"}, "'a:b' in the metadata store 'etcd://a:b' is no address"),
        ({"chronik.metadata.store": "/a/b"}, "neither sqlite:///path nor etcd://host:2379 nor memory:"),
        ({"node.id": "1", "broker.id": "2"}, "differ: 1 and 2"),
        ({"node.id": "-1"}, "too small"),
        ({"log.dirs": "/a,/b"}, "run one broker for each disk"),
        ({"process.roles": "controller"}, "no separate controllers"),
        ({"chronik.http.listener": "9644"}, "is not host:port"),
        ({"num.partitions": "20000"}, "above chronik.topic.partitions.max"),
        ({"queued.max.request.bytes": "1000"}, "could never be read"),
    ],
)
def test_settings_that_cannot_work_are_refused_with_a_sentence(overrides: dict[str, str], sentence: str) -> None:
    problems = problems_of(overrides=overrides)
    assert [problem for problem in problems if sentence in problem], problems


def test_two_listeners_may_not_have_one_address_but_both_may_take_any_port() -> None:
    map_both = "A:PLAINTEXT,B:PLAINTEXT"
    (problem,) = problems_of(
        overrides={"listeners": "A://h:1,B://h:1", "listener.security.protocol.map": map_both, "node.id": "3"}
    )
    assert "same address h:1" in problem
    settings = with_listeners("A://h:0,B://h:0", listener_security_protocol_map=map_both)
    assert [listener.port for listener in settings.listeners] == [0, 0]


def test_old_name_of_the_node_id_counts_where_the_new_one_is_missing() -> None:
    assert load_settings(overrides={"broker.id": "5"}).node_id == 5
    assert load_settings(overrides={"broker.id": "5", "node.id": "5"}).node_id == 5


def test_empty_value_of_a_setting_without_default_unsets_it() -> None:
    settings = load_settings(environ={"KAFKA_BROKER_RACK": "", "KAFKA_ADVERTISED_LISTENERS": ""})
    assert settings.rack is None
    assert "broker.rack" not in settings.static


def test_empty_http_listener_serves_none() -> None:
    assert load_settings(overrides={"chronik.http.listener": ""}).http_listener is None
    assert load_settings().http_listener == Address("127.0.0.1", 9644)


def test_every_setting_that_is_known_takes_its_own_default() -> None:
    defaults = {
        name: definition.default for name, definition in BROKER_CONFIGS.items() if definition.default is not None
    }
    settings = load_settings(overrides={name: value for name, value in defaults.items() if name != "broker.id"})
    assert settings._replace(static={}, origins={}) == load_settings()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", [("a", "b")]),
        ("  a \t=  b c ", [("a", "b c ")]),
        ("a:b", [("a", "b")]),
        ("a b=c", [("a", "b=c")]),
        ("a", [("a", "")]),
        ("a=", [("a", "")]),
        ("# no\n! no\n\n \t\na=1", [("a", "1")]),
        ("a=1,\\\n   2,\\\n\t3\nb=4", [("a", "1,2,3"), ("b", "4")]),
        ("a=1\\\\\nb=2", [("a", "1\\"), ("b", "2")]),
        ("a=1\\", [("a", "1")]),
        ("a=x\\\n# not a comment", [("a", "x# not a comment")]),
        ("a\\=b\\:c\\ d=e", [("a=b:c d", "e")]),
        ("a=\\t\\n\\r\\f\\q", [("a", "\t\n\r\fq")]),
        ("a=caf\\u00E9", [("a", "café")]),
        ("a=1\r\nb=2\rc=3", [("a", "1"), ("b", "2"), ("c", "3")]),
        ("a=1\na=2", [("a", "1"), ("a", "2")]),
        ("=b", [("", "b")]),
    ],
)
def test_properties_are_read_as_java_reads_them(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.name, one.value) for one in parse_properties(text)] == expected


def test_property_knows_the_line_that_it_begins_on() -> None:
    assert parse_properties("\n#\na=1,\\\n2\nb=3") == [Property("a", "1,2", 3), Property("b", "3", 5)]


def test_file_in_latin_1_is_read_as_java_wrote_it() -> None:
    assert decode_properties("a=é".encode("latin-1")) == "a=é"
    assert decode_properties("\ufeffa=é".encode()) == "a=é"


@pytest.mark.parametrize(
    ("overrides", "session_ms"),
    [
        ({}, 9_000),
        ({"broker.session.timeout.ms": "1500"}, 1_500),
        ({"chronik.metadata.store": "sqlite:///m.db"}, 9_000),
        ({"chronik.metadata.store": "etcd://h:2379"}, ETCD_SESSION_MS),
        ({"chronik.metadata.store": "etcd://h:2379", "broker.session.timeout.ms": "9000"}, 9_000),
    ],
)
def test_a_broker_counts_as_dead_after_the_time_that_was_set_or_kafkas_and_with_etcd_sooner(
    overrides: dict[str, str], session_ms: int
) -> None:
    assert load_settings(overrides=overrides).cluster.session_ms == session_ms
