"""What is asked of security, quotas and transactions is answered as by a Kafka 4.1.0 without them.

The answers that are expected here are those of a Kafka with one broker and default settings; where Chronik differs on
purpose, the test says so by its name.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from subprocess import CompletedProcess

import pytest
from aiokafka import AIOKafkaProducer  # type: ignore[import-untyped]
from aiokafka.errors import KafkaConnectionError  # type: ignore[import-untyped]
from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from chronik.protocol.generated.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from chronik.protocol.generated.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from chronik.protocol.generated.describe_transactions import DescribeTransactionsRequest
from chronik.protocol.generated.describe_user_scram_credentials import DescribeUserScramCredentialsRequest, UserName
from chronik.protocol.generated.elect_leaders import ElectLeadersRequest, TopicPartitions
from chronik.protocol.generated.list_partition_reassignments import ListPartitionReassignmentsRequest
from chronik.protocol.generated.list_transactions import ListTransactionsRequest
from tests.brokers import BrokerProcess
from tests.regressions.wire import Wire

RunTool = Callable[..., "CompletedProcess[str]"]
SASL_SECONDS_MAX = 40.0
EVERY_ACL = AclBindingFilter(
    ResourceType.ANY,
    None,  # type: ignore[arg-type]
    ResourcePatternType.ANY,
    None,  # type: ignore[arg-type]
    None,  # type: ignore[arg-type]
    AclOperation.ANY,
    AclPermissionType.ANY,
)
AN_ACL = AclBinding(
    ResourceType.TOPIC,
    "a-topic",
    ResourcePatternType.LITERAL,
    "User:somebody",
    "*",
    AclOperation.READ,
    AclPermissionType.ALLOW,
)


@pytest.fixture
def wire(shared_broker: BrokerProcess) -> Iterator[Wire]:
    with Wire(shared_broker.bootstrap) as connection:
        yield connection


def code_of(error: BaseException | None) -> int:
    assert isinstance(error, KafkaException), error
    return int(error.args[0].code())


def test_acls_are_refused_in_librdkafka_because_security_is_disabled(shared_broker: BrokerProcess) -> None:
    admin = AdminClient({"bootstrap.servers": shared_broker.bootstrap})
    futures = [*admin.create_acls([AN_ACL]).values(), *admin.delete_acls([EVERY_ACL]).values()]
    codes = [code_of(future.exception(timeout=40)) for future in futures]
    assert codes == [ErrorCode.SECURITY_DISABLED] * 2


def test_scram_credentials_are_refused_in_librdkafka_where_kafka_would_keep_them(shared_broker: BrokerProcess) -> None:
    """Its request has a byte too many, which Kafka leaves unread."""
    admin = AdminClient({"bootstrap.servers": shared_broker.bootstrap})
    kind = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    kept = admin.alter_user_scram_credentials([UserScramCredentialUpsertion("somebody", kind, b"something")])
    dropped = admin.alter_user_scram_credentials(
        [UserScramCredentialDeletion("somebody", ScramMechanism.SCRAM_SHA_256)]
    )
    assert code_of(kept["somebody"].exception(timeout=40)) == ErrorCode.UNSUPPORTED_SASL_MECHANISM
    assert code_of(dropped["somebody"].exception(timeout=40)) == ErrorCode.RESOURCE_NOT_FOUND


@pytest.mark.parametrize(
    ("components", "error"),
    [
        ([], ErrorCode.NONE),
        ([ComponentData("client-id", 0, "a-client")], ErrorCode.NONE),
        ([ComponentData("user", 1, None), ComponentData("client-id", 2, None)], ErrorCode.NONE),
        ([ComponentData("nonsense", 0, "x")], ErrorCode.UNSUPPORTED_VERSION),
        ([ComponentData("", 0, "x")], ErrorCode.INVALID_REQUEST),
        ([ComponentData("user", 9, "x")], ErrorCode.INVALID_REQUEST),
        ([ComponentData("user", 0, None)], ErrorCode.INVALID_REQUEST),
        ([ComponentData("user", 1, "x")], ErrorCode.INVALID_REQUEST),
        ([ComponentData("user", 0, "x"), ComponentData("user", 0, "y")], ErrorCode.INVALID_REQUEST),
        ([ComponentData("user", 0, "x"), ComponentData("ip", 0, "127.0.0.1")], ErrorCode.INVALID_REQUEST),
    ],
)
def test_there_are_no_quotas_and_a_filter_without_sense_is_refused(
    wire: Wire, components: list[ComponentData], error: ErrorCode
) -> None:
    answer = wire.call(ApiKey.DESCRIBE_CLIENT_QUOTAS, 1, DescribeClientQuotasRequest(components, strict=True))
    assert (answer.error_code, answer.entries) == (error, [] if error is ErrorCode.NONE else None)
    assert bool(answer.error_message) == (error is not ErrorCode.NONE)


def test_no_user_has_scram_credentials(wire: Wire) -> None:
    def ask(users: list[UserName] | None) -> list[tuple[str, int]]:
        answer = wire.call(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, 0, DescribeUserScramCredentialsRequest(users))
        assert answer.error_code == ErrorCode.NONE
        return [(result.user, result.error_code) for result in answer.results]

    assert ask(None) == ask([]) == []
    assert ask([UserName("alice"), UserName("")]) == [
        ("", ErrorCode.RESOURCE_NOT_FOUND),
        ("alice", ErrorCode.RESOURCE_NOT_FOUND),
    ]
    assert ask([UserName("alice")] * 2) == [("alice", ErrorCode.DUPLICATE_RESOURCE)]


def test_there_are_no_transactions_and_unknown_states_are_named(wire: Wire) -> None:
    listed = wire.call(ApiKey.LIST_TRANSACTIONS, 1, ListTransactionsRequest(["Ongoing", "Nonsense"]))
    assert (listed.error_code, listed.unknown_state_filters, listed.transaction_states) == (0, ["Nonsense"], [])
    described = wire.call(ApiKey.DESCRIBE_TRANSACTIONS, 0, DescribeTransactionsRequest(["an-id", ""]))
    assert [(one.transactional_id, one.error_code) for one in described.transaction_states] == [
        ("an-id", ErrorCode.TRANSACTIONAL_ID_NOT_FOUND),
        ("", ErrorCode.INVALID_REQUEST),
    ]


@pytest.mark.parametrize("election", [0, 1])
def test_the_leader_is_already_the_one_that_an_election_would_choose(
    wire: Wire, topic_name: str, election: int
) -> None:
    wire.create_topic(topic_name, 2)
    named = [TopicPartitions(topic_name, [0, 7]), TopicPartitions("no-such-topic", [0])]
    answer = wire.call(ApiKey.ELECT_LEADERS, 2, ElectLeadersRequest(election, named))
    results = {
        (r.topic, p.partition_id): p.error_code for r in answer.replica_election_results for p in r.partition_result
    }
    assert results == {
        (topic_name, 0): ErrorCode.ELECTION_NOT_NEEDED,
        (topic_name, 7): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ("no-such-topic", 0): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    everything = wire.call(ApiKey.ELECT_LEADERS, 2, ElectLeadersRequest(election, None))
    assert [
        result.partition_result for result in everything.replica_election_results if result.topic == topic_name
    ] == [[]]


def test_an_unknown_kind_of_election_is_refused(wire: Wire, topic_name: str) -> None:
    answer = wire.call(ApiKey.ELECT_LEADERS, 2, ElectLeadersRequest(5, [TopicPartitions(topic_name, [0])]))
    assert answer.error_code == ErrorCode.INVALID_REQUEST
    assert [p.error_code for p in answer.replica_election_results[0].partition_result] == [ErrorCode.INVALID_REQUEST]


def test_only_a_reassignment_that_moves_nothing_is_agreed_to(wire: Wire, topic_name: str) -> None:
    wire.create_topic(topic_name)

    def reassign(topic: str, partition: int, replicas: list[int] | None) -> int:
        asked = [ReassignableTopic(topic, [ReassignablePartition(partition, replicas)])]
        answer = wire.call(
            ApiKey.ALTER_PARTITION_REASSIGNMENTS, 1, AlterPartitionReassignmentsRequest(5_000, topics=asked)
        )
        assert answer.error_code == ErrorCode.NONE
        code: int = answer.responses[0].partitions[0].error_code
        return code

    assert reassign(topic_name, 0, [1]) == ErrorCode.NONE
    assert reassign(topic_name, 0, None) == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    for replicas in ([1, 2], [9], [], [1, 1], [-5]):
        assert reassign(topic_name, 0, replicas) == ErrorCode.INVALID_REPLICA_ASSIGNMENT, replicas
    for topic, partition in ((topic_name, 7), ("no-such-topic", 0)):
        assert reassign(topic, partition, [1]) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    listed = wire.call(ApiKey.LIST_PARTITION_REASSIGNMENTS, 0, ListPartitionReassignmentsRequest())
    assert (listed.error_code, listed.topics) == (ErrorCode.NONE, [])


def test_a_replica_may_only_be_moved_to_where_it_is(shared_broker: BrokerProcess, wire: Wire, topic_name: str) -> None:
    wire.create_topic(topic_name)

    def move(path: str, topic: str) -> int:
        asked = [AlterReplicaLogDir(path, [AlterReplicaLogDirTopic(topic, [0])])]
        answer = wire.call(ApiKey.ALTER_REPLICA_LOG_DIRS, 2, AlterReplicaLogDirsRequest(asked))
        code: int = answer.results[0].partitions[0].error_code
        return code

    here = str(shared_broker.data)
    assert move(here, topic_name) == ErrorCode.NONE
    assert move(here, "no-such-topic") == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert move("/elsewhere", topic_name) == ErrorCode.LOG_DIR_NOT_FOUND


# --- Kafka's own tools: the exit code and the sense of what they say


@pytest.mark.parametrize(
    ("main_class", "arguments", "exit_code", "said"),
    [
        ("org.apache.kafka.tools.AclCommand", ["--list"], 1, "SecurityDisabledException: No Authorizer is configured"),
        ("kafka.admin.ConfigCommand", ["--describe", "--entity-type", "users"], 0, ""),
        ("org.apache.kafka.tools.TransactionsCommand", ["list"], 0, "TransactionalId"),
        (
            "org.apache.kafka.tools.LeaderElectionCommand",
            ["--election-type", "preferred", "--all-topic-partitions"],
            0,
            "",
        ),
        (
            "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
            ["--list"],
            0,
            "No partition reassignments found.",
        ),
    ],
)
def test_kafkas_tools_end_as_on_a_kafka_without_security(
    shared_broker: BrokerProcess,
    run_kafka_tool: RunTool,
    main_class: str,
    arguments: list[str],
    exit_code: int,
    said: str,
) -> None:
    ended = run_kafka_tool(main_class, "--bootstrap-server", shared_broker.bootstrap, *arguments)
    assert ended.returncode == exit_code, ended
    assert said in ended.stdout + ended.stderr


def test_a_quota_is_refused_where_kafka_would_keep_it(shared_broker: BrokerProcess, run_kafka_tool: RunTool) -> None:
    ended = run_kafka_tool(
        "kafka.admin.ConfigCommand",
        *("--bootstrap-server", shared_broker.bootstrap, "--alter", "--entity-type", "clients"),
        *("--entity-name", "a-client", "--add-config", "producer_byte_rate=1024"),
    )
    assert ended.returncode == 1
    assert "does not enforce client quotas; nothing was changed" in ended.stdout + ended.stderr


# --- clients that want to authenticate


def test_librdkafka_with_sasl_says_within_seconds_that_the_listener_is_plain(shared_broker: BrokerProcess) -> None:
    told: list[str] = []
    admin = AdminClient(
        {
            "bootstrap.servers": shared_broker.bootstrap,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "somebody",
            "sasl.password": "something",
            "error_cb": lambda error: told.append(str(error)),  # type: ignore[dict-item]
        }
    )
    deadline = time.monotonic() + SASL_SECONDS_MAX
    while not told and time.monotonic() < deadline:
        admin.poll(0.1)
    assert any("SASL" in text for text in told), told


def test_aiokafka_with_sasl_fails_within_seconds_and_says_why(
    shared_broker: BrokerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    async def start() -> None:
        producer = AIOKafkaProducer(
            bootstrap_servers=shared_broker.bootstrap,
            security_protocol="SASL_PLAINTEXT",
            sasl_mechanism="PLAIN",
            sasl_plain_username="somebody",
            sasl_plain_password="something",
        )
        try:
            await producer.start()
        finally:
            await producer.stop()

    with pytest.raises(KafkaConnectionError):
        asyncio.run(asyncio.wait_for(start(), SASL_SECONDS_MAX))
    assert "IllegalSaslState" in caplog.text
