"""A meaningful request for every API that is served, in every version.

A sound broker answers it without error, or with the one that ``REFUSED`` names.
"""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.alter_client_quotas import AlterClientQuotasRequest, EntityData, EntryData, OpData
from chronik.protocol.generated.alter_configs import AlterableConfig, AlterConfigsRequest, AlterConfigsResource
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
from chronik.protocol.generated.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from chronik.protocol.generated.api_versions import ApiVersionsRequest
from chronik.protocol.generated.create_acls import AclCreation, CreateAclsRequest
from chronik.protocol.generated.create_delegation_token import CreateDelegationTokenRequest
from chronik.protocol.generated.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from chronik.protocol.generated.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from chronik.protocol.generated.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from chronik.protocol.generated.delete_groups import DeleteGroupsRequest
from chronik.protocol.generated.delete_records import DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic
from chronik.protocol.generated.delete_topics import DeleteTopicsRequest, DeleteTopicState
from chronik.protocol.generated.describe_acls import DescribeAclsRequest
from chronik.protocol.generated.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from chronik.protocol.generated.describe_cluster import DescribeClusterRequest
from chronik.protocol.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from chronik.protocol.generated.describe_delegation_token import DescribeDelegationTokenRequest
from chronik.protocol.generated.describe_groups import DescribeGroupsRequest
from chronik.protocol.generated.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from chronik.protocol.generated.describe_producers import DescribeProducersRequest
from chronik.protocol.generated.describe_producers import TopicRequest as ProducersOfTopic
from chronik.protocol.generated.describe_topic_partitions import DescribeTopicPartitionsRequest, TopicRequest
from chronik.protocol.generated.describe_transactions import DescribeTransactionsRequest
from chronik.protocol.generated.describe_user_scram_credentials import DescribeUserScramCredentialsRequest, UserName
from chronik.protocol.generated.elect_leaders import ElectLeadersRequest, TopicPartitions
from chronik.protocol.generated.expire_delegation_token import ExpireDelegationTokenRequest
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchTopic
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest
from chronik.protocol.generated.heartbeat import HeartbeatRequest
from chronik.protocol.generated.incremental_alter_configs import AlterableConfig as IncrementalConfig
from chronik.protocol.generated.incremental_alter_configs import AlterConfigsResource as IncrementalResource
from chronik.protocol.generated.incremental_alter_configs import IncrementalAlterConfigsRequest
from chronik.protocol.generated.init_producer_id import InitProducerIdRequest
from chronik.protocol.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from chronik.protocol.generated.leave_group import LeaveGroupRequest, MemberIdentity
from chronik.protocol.generated.list_config_resources import ListConfigResourcesRequest
from chronik.protocol.generated.list_groups import ListGroupsRequest
from chronik.protocol.generated.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from chronik.protocol.generated.list_partition_reassignments import ListPartitionReassignmentsRequest
from chronik.protocol.generated.list_transactions import ListTransactionsRequest
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic
from chronik.protocol.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from chronik.protocol.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from chronik.protocol.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from chronik.protocol.generated.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from chronik.protocol.generated.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from chronik.protocol.generated.renew_delegation_token import RenewDelegationTokenRequest
from chronik.protocol.generated.sasl_authenticate import SaslAuthenticateRequest
from chronik.protocol.generated.sasl_handshake import SaslHandshakeRequest
from chronik.protocol.generated.sync_group import SyncGroupRequest
from chronik.protocol.wire import Message
from tests.regressions.wire import batch_of

TOPIC_RESOURCE: Final = 2
BROKER_RESOURCE: Final = 4
NO_ID: Final = UUID(int=0)

Ask = Callable[[str, UUID, int], Message]
"""(topic name, topic id, version) -> request"""


def _produce(topic: str, topic_id: UUID, version: int) -> Message:
    data = [PartitionProduceData(0, batch_of(b"version %d" % version))]
    named = TopicProduceData(topic, NO_ID, data) if version < 13 else TopicProduceData("", topic_id, data)
    return ProduceRequest(None, -1, 10_000, [named])


def _fetch(topic: str, topic_id: UUID, version: int) -> Message:
    asked = [FetchPartition(0, -1, 0, partition_max_bytes=1_000_000)]
    named = FetchTopic(topic, NO_ID, asked) if version < 13 else FetchTopic("", topic_id, asked)
    return FetchRequest(max_wait_ms=10, min_bytes=1, max_bytes=1_000_000, topics=[named])


def _list_offsets(topic: str, topic_id: UUID, version: int) -> Message:
    first_versions = {-1: 1, -2: 1, 0: 1, 10**15: 1, -3: 7, -4: 8, -5: 9}
    times = [timestamp for timestamp, first in first_versions.items() if version >= first]
    return ListOffsetsRequest(-1, 0, [ListOffsetsTopic(topic, [ListOffsetsPartition(0, -1, time) for time in times])])


def _metadata(topic: str, topic_id: UUID, version: int) -> Message:
    named = MetadataRequestTopic(NO_ID, topic) if version < 12 else MetadataRequestTopic(topic_id, None)
    return MetadataRequest([named], allow_auto_topic_creation=version < 4)


def _find_coordinator(topic: str, topic_id: UUID, version: int) -> Message:
    return FindCoordinatorRequest("group") if version < 4 else FindCoordinatorRequest("", 0, ["group"])


def group_of(topic: str) -> str:
    """The group that the requests speak of."""
    return f"{topic}-group"


def groups_needed(topic: str, versions: range) -> list[str]:
    """Groups that the requests describe or delete: each must have a position."""
    return [group_of(topic), *(f"{topic}-to-delete-{version}" for version in versions)]


def commit_to(group: str, topic: str) -> OffsetCommitRequest:
    """A position of a client that uses the group for nothing else."""
    position = OffsetCommitRequestPartition(0, 1, -1, "so far")
    return OffsetCommitRequest(group, -1, "", topics=[OffsetCommitRequestTopic(topic, partitions=[position])])


def _offset_commit(topic: str, topic_id: UUID, version: int) -> Message:
    return commit_to(group_of(topic), topic)


def _offset_fetch(topic: str, topic_id: UUID, version: int) -> Message:
    if version < 8:
        return OffsetFetchRequest(group_of(topic), [OffsetFetchRequestTopic(topic, [0, 1])])
    asked = [OffsetFetchRequestTopics(topic, partition_indexes=[0, 1])]
    groups = [(group_of(topic), asked), (f"{topic}-never-seen", None)]
    return OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=topics) for group, topics in groups])


def _join_group(topic: str, topic_id: UUID, version: int) -> Message:
    protocols = [JoinGroupRequestProtocol("range", b"")]
    rebalance_timeout_ms = 60_000 if version >= 1 else -1
    return JoinGroupRequest(group_of(topic), 10_000, rebalance_timeout_ms, "nobody", None, "consumer", protocols)


def _sync_group(topic: str, topic_id: UUID, version: int) -> Message:
    protocol = ("consumer", "range") if version >= 5 else (None, None)
    return SyncGroupRequest(group_of(topic), 1, "nobody", None, *protocol)


def _leave_group(topic: str, topic_id: UUID, version: int) -> Message:
    if version < 3:
        return LeaveGroupRequest(group_of(topic), "nobody")
    return LeaveGroupRequest(group_of(topic), members=[MemberIdentity("nobody")])


def _create_topics(topic: str, topic_id: UUID, version: int) -> Message:
    configs = [CreatableTopicConfig("retention.ms", "3600000")]
    return CreateTopicsRequest([CreatableTopic(f"{topic}-created-{version}", 2, 1, [], configs)], 10_000)


def _delete_topics(topic: str, topic_id: UUID, version: int) -> Message:
    name = f"{topic}-to-delete-{version}"
    if version < 6:
        return DeleteTopicsRequest(topic_names=[name], timeout_ms=10_000)
    return DeleteTopicsRequest([DeleteTopicState(name)], timeout_ms=10_000)


def _delete_records(topic: str, topic_id: UUID, version: int) -> Message:
    return DeleteRecordsRequest([DeleteRecordsTopic(topic, [DeleteRecordsPartition(1, 0)])], 10_000)


def _offset_for_leader_epoch(topic: str, topic_id: UUID, version: int) -> Message:
    asked = OffsetForLeaderTopic(topic, [OffsetForLeaderPartition(0, -1, 0)])
    return OffsetForLeaderEpochRequest(-1 if version >= 3 else -2, [asked])


def _describe_configs(topic: str, topic_id: UUID, version: int) -> Message:
    resources = [DescribeConfigsResource(TOPIC_RESOURCE, topic, None), DescribeConfigsResource(BROKER_RESOURCE, "1")]
    return DescribeConfigsRequest(resources, include_synonyms=True, include_documentation=version >= 3)


def _alter_configs(topic: str, topic_id: UUID, version: int) -> Message:
    configs = [AlterableConfig("retention.ms", str(3_600_000 + version))]
    return AlterConfigsRequest([AlterConfigsResource(TOPIC_RESOURCE, topic, configs)])


def _incremental_alter_configs(topic: str, topic_id: UUID, version: int) -> Message:
    configs = [IncrementalConfig("cleanup.policy", 2, "compact"), IncrementalConfig("retention.ms", 1, None)]
    return IncrementalAlterConfigsRequest([IncrementalResource(TOPIC_RESOURCE, f"{topic}-altered", configs)])


def _create_partitions(topic: str, topic_id: UUID, version: int) -> Message:
    return CreatePartitionsRequest([CreatePartitionsTopic(f"{topic}-growing", 2 + version, None)], 10_000)


def _alter_client_quotas(topic: str, topic_id: UUID, version: int) -> Message:
    entry = EntryData([EntityData("client-id", "a-client")], [OpData("producer_byte_rate", 1e6)])
    return AlterClientQuotasRequest([entry])


def _alter_partition_reassignments(topic: str, topic_id: UUID, version: int) -> Message:
    asked = [ReassignableTopic(topic, [ReassignablePartition(0, [1])])]
    return AlterPartitionReassignmentsRequest(10_000, topics=asked)


def _alter_replica_log_dirs(topic: str, topic_id: UUID, version: int) -> Message:
    return AlterReplicaLogDirsRequest([AlterReplicaLogDir("/elsewhere", [AlterReplicaLogDirTopic(topic, [0])])])


def _create_delegation_token(topic: str, topic_id: UUID, version: int) -> Message:
    owner = None if version >= 3 else ""
    return CreateDelegationTokenRequest(owner, owner, [], 60_000)


REFUSED: Final[dict[ApiKey, ErrorCode]] = {
    ApiKey.JOIN_GROUP: ErrorCode.UNKNOWN_MEMBER_ID,
    ApiKey.SYNC_GROUP: ErrorCode.UNKNOWN_MEMBER_ID,
    ApiKey.HEARTBEAT: ErrorCode.UNKNOWN_MEMBER_ID,
    ApiKey.LEAVE_GROUP: ErrorCode.UNKNOWN_MEMBER_ID,
    ApiKey.DESCRIBE_ACLS: ErrorCode.SECURITY_DISABLED,
    ApiKey.CREATE_ACLS: ErrorCode.SECURITY_DISABLED,
    ApiKey.DELETE_ACLS: ErrorCode.SECURITY_DISABLED,
    ApiKey.ALTER_REPLICA_LOG_DIRS: ErrorCode.LOG_DIR_NOT_FOUND,
    ApiKey.SASL_HANDSHAKE: ErrorCode.ILLEGAL_SASL_STATE,
    ApiKey.SASL_AUTHENTICATE: ErrorCode.ILLEGAL_SASL_STATE,
    ApiKey.CREATE_DELEGATION_TOKEN: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    ApiKey.RENEW_DELEGATION_TOKEN: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    ApiKey.EXPIRE_DELEGATION_TOKEN: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    ApiKey.DESCRIBE_DELEGATION_TOKEN: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    ApiKey.ELECT_LEADERS: ErrorCode.ELECTION_NOT_NEEDED,
    ApiKey.DESCRIBE_CLIENT_QUOTAS: ErrorCode.UNSUPPORTED_VERSION,
    ApiKey.ALTER_CLIENT_QUOTAS: ErrorCode.UNSUPPORTED_VERSION,
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: ErrorCode.RESOURCE_NOT_FOUND,
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: ErrorCode.UNSUPPORTED_SASL_MECHANISM,
    ApiKey.DESCRIBE_TRANSACTIONS: ErrorCode.TRANSACTIONAL_ID_NOT_FOUND,
}
"""APIs whose answer is an error, and which: what they would need is not there, such as a living member of a group."""

ASK: Final[dict[ApiKey, Ask]] = {
    ApiKey.PRODUCE: _produce,
    ApiKey.FETCH: _fetch,
    ApiKey.LIST_OFFSETS: _list_offsets,
    ApiKey.METADATA: _metadata,
    ApiKey.OFFSET_COMMIT: _offset_commit,
    ApiKey.OFFSET_FETCH: _offset_fetch,
    ApiKey.FIND_COORDINATOR: _find_coordinator,
    ApiKey.JOIN_GROUP: _join_group,
    ApiKey.HEARTBEAT: lambda topic, topic_id, version: HeartbeatRequest(group_of(topic), 1, "nobody"),
    ApiKey.LEAVE_GROUP: _leave_group,
    ApiKey.SYNC_GROUP: _sync_group,
    ApiKey.DESCRIBE_GROUPS: lambda topic, topic_id, version: DescribeGroupsRequest([group_of(topic)], version >= 3),
    ApiKey.LIST_GROUPS: lambda topic, topic_id, version: ListGroupsRequest(
        ["Empty"] if version >= 4 else [], ["classic"] if version >= 5 else []
    ),
    ApiKey.API_VERSIONS: lambda topic, topic_id, version: ApiVersionsRequest("wire", "1.0"),
    ApiKey.CREATE_TOPICS: _create_topics,
    ApiKey.DELETE_TOPICS: _delete_topics,
    ApiKey.DELETE_RECORDS: _delete_records,
    ApiKey.INIT_PRODUCER_ID: lambda topic, topic_id, version: InitProducerIdRequest(None, 60_000),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: _offset_for_leader_epoch,
    ApiKey.DESCRIBE_CONFIGS: _describe_configs,
    ApiKey.ALTER_CONFIGS: _alter_configs,
    ApiKey.DESCRIBE_LOG_DIRS: lambda topic, topic_id, version: DescribeLogDirsRequest(
        [DescribableLogDirTopic(topic, [0])]
    ),
    ApiKey.CREATE_PARTITIONS: _create_partitions,
    ApiKey.DELETE_GROUPS: lambda topic, topic_id, version: DeleteGroupsRequest([f"{topic}-to-delete-{version}"]),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: _incremental_alter_configs,
    ApiKey.OFFSET_DELETE: lambda topic, topic_id, version: OffsetDeleteRequest(
        group_of(topic), [OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(1)])]
    ),
    ApiKey.DESCRIBE_CLUSTER: lambda topic, topic_id, version: DescribeClusterRequest(),
    ApiKey.DESCRIBE_PRODUCERS: lambda topic, topic_id, version: DescribeProducersRequest(
        [ProducersOfTopic(topic, [0])]
    ),
    ApiKey.LIST_CONFIG_RESOURCES: lambda topic, topic_id, version: ListConfigResourcesRequest(
        [] if version == 0 else [TOPIC_RESOURCE, BROKER_RESOURCE]
    ),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: lambda topic, topic_id, version: DescribeTopicPartitionsRequest(
        [TopicRequest(topic)], 100
    ),
    ApiKey.DESCRIBE_ACLS: lambda topic, topic_id, version: DescribeAclsRequest(1, None, 1, None, None, 1, 1),
    ApiKey.CREATE_ACLS: lambda topic, topic_id, version: CreateAclsRequest(
        [AclCreation(TOPIC_RESOURCE, topic, 3, "User:somebody", "*", 3, 3)]
    ),
    ApiKey.DELETE_ACLS: lambda topic, topic_id, version: DeleteAclsRequest(
        [DeleteAclsFilter(1, None, 1, None, None, 1, 1)]
    ),
    ApiKey.ALTER_REPLICA_LOG_DIRS: _alter_replica_log_dirs,
    ApiKey.SASL_HANDSHAKE: lambda topic, topic_id, version: SaslHandshakeRequest("PLAIN"),
    ApiKey.SASL_AUTHENTICATE: lambda topic, topic_id, version: SaslAuthenticateRequest(b"\0name\0word"),
    ApiKey.CREATE_DELEGATION_TOKEN: _create_delegation_token,
    ApiKey.RENEW_DELEGATION_TOKEN: lambda topic, topic_id, version: RenewDelegationTokenRequest(b"token", 60_000),
    ApiKey.EXPIRE_DELEGATION_TOKEN: lambda topic, topic_id, version: ExpireDelegationTokenRequest(b"token", 60_000),
    ApiKey.DESCRIBE_DELEGATION_TOKEN: lambda topic, topic_id, version: DescribeDelegationTokenRequest(None),
    ApiKey.ELECT_LEADERS: lambda topic, topic_id, version: ElectLeadersRequest(0, [TopicPartitions(topic, [0])]),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: _alter_partition_reassignments,
    ApiKey.LIST_PARTITION_REASSIGNMENTS: lambda topic, topic_id, version: ListPartitionReassignmentsRequest(),
    ApiKey.DESCRIBE_CLIENT_QUOTAS: lambda topic, topic_id, version: DescribeClientQuotasRequest(
        [ComponentData("an unknown kind", 0, "name")]
    ),
    ApiKey.ALTER_CLIENT_QUOTAS: _alter_client_quotas,
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: lambda topic, topic_id, version: DescribeUserScramCredentialsRequest(
        [UserName("somebody")]
    ),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: lambda topic, topic_id, version: AlterUserScramCredentialsRequest(
        [], [ScramCredentialUpsertion("somebody", 1, 4096, b"salt", b"password")]
    ),
    ApiKey.DESCRIBE_TRANSACTIONS: lambda topic, topic_id, version: DescribeTransactionsRequest(["a-transaction"]),
    ApiKey.LIST_TRANSACTIONS: lambda topic, topic_id, version: ListTransactionsRequest(["Ongoing", "NoSuchState"]),
}


def topics_needed(topic: str, versions: range) -> list[str]:
    """Names of topics that the requests change or delete, beside the one they all use."""
    return [f"{topic}-altered", f"{topic}-growing", *(f"{topic}-to-delete-{version}" for version in versions)]
