"""The table of APIs: exactly the APIs in ``SERVED`` are implemented and advertised.

The baseline is Kafka 4.1, whose oldest versions are those that librdkafka 2.0, kafka-python 2.0 and Java 2.1 still use.
A request for an API or version outside the table has no schema for a response.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.alter_client_quotas import AlterClientQuotasRequest, AlterClientQuotasResponse
from chronik.protocol.generated.alter_configs import AlterConfigsRequest, AlterConfigsResponse
from chronik.protocol.generated.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
)
from chronik.protocol.generated.alter_replica_log_dirs import AlterReplicaLogDirsRequest, AlterReplicaLogDirsResponse
from chronik.protocol.generated.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
)
from chronik.protocol.generated.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from chronik.protocol.generated.create_acls import CreateAclsRequest, CreateAclsResponse
from chronik.protocol.generated.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from chronik.protocol.generated.create_partitions import CreatePartitionsRequest, CreatePartitionsResponse
from chronik.protocol.generated.create_topics import CreateTopicsRequest, CreateTopicsResponse
from chronik.protocol.generated.delete_acls import DeleteAclsRequest, DeleteAclsResponse
from chronik.protocol.generated.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from chronik.protocol.generated.delete_records import DeleteRecordsRequest, DeleteRecordsResponse
from chronik.protocol.generated.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from chronik.protocol.generated.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from chronik.protocol.generated.describe_client_quotas import DescribeClientQuotasRequest, DescribeClientQuotasResponse
from chronik.protocol.generated.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from chronik.protocol.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsResponse
from chronik.protocol.generated.describe_delegation_token import (
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from chronik.protocol.generated.describe_groups import DescribeGroupsRequest, DescribeGroupsResponse
from chronik.protocol.generated.describe_log_dirs import DescribeLogDirsRequest, DescribeLogDirsResponse
from chronik.protocol.generated.describe_producers import DescribeProducersRequest, DescribeProducersResponse
from chronik.protocol.generated.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
)
from chronik.protocol.generated.describe_transactions import DescribeTransactionsRequest, DescribeTransactionsResponse
from chronik.protocol.generated.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
)
from chronik.protocol.generated.elect_leaders import ElectLeadersRequest, ElectLeadersResponse
from chronik.protocol.generated.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)
from chronik.protocol.generated.fetch import FetchRequest, FetchResponse
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from chronik.protocol.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from chronik.protocol.generated.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from chronik.protocol.generated.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from chronik.protocol.generated.join_group import JoinGroupRequest, JoinGroupResponse
from chronik.protocol.generated.leave_group import LeaveGroupRequest, LeaveGroupResponse
from chronik.protocol.generated.list_config_resources import ListConfigResourcesRequest, ListConfigResourcesResponse
from chronik.protocol.generated.list_groups import ListGroupsRequest, ListGroupsResponse
from chronik.protocol.generated.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from chronik.protocol.generated.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)
from chronik.protocol.generated.list_transactions import ListTransactionsRequest, ListTransactionsResponse
from chronik.protocol.generated.metadata import MetadataRequest, MetadataResponse
from chronik.protocol.generated.offset_commit import OffsetCommitRequest, OffsetCommitResponse
from chronik.protocol.generated.offset_delete import OffsetDeleteRequest, OffsetDeleteResponse
from chronik.protocol.generated.offset_fetch import OffsetFetchRequest, OffsetFetchResponse
from chronik.protocol.generated.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
)
from chronik.protocol.generated.produce import ProduceRequest, ProduceResponse
from chronik.protocol.generated.renew_delegation_token import RenewDelegationTokenRequest, RenewDelegationTokenResponse
from chronik.protocol.generated.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from chronik.protocol.generated.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from chronik.protocol.generated.sync_group import SyncGroupRequest, SyncGroupResponse
from chronik.protocol.wire import Message

# Above every version in a header.
_NO_VERSION: Final = 1 << 15


class ApiKey(IntEnum):
    """The wire's number of each API in the codec."""

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    WRITE_TXN_MARKERS = 27
    TXN_OFFSET_COMMIT = 28
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    CREATE_DELEGATION_TOKEN = 38
    RENEW_DELEGATION_TOKEN = 39
    EXPIRE_DELEGATION_TOKEN = 40
    DESCRIBE_DELEGATION_TOKEN = 41
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    DESCRIBE_TRANSACTIONS = 65
    LIST_TRANSACTIONS = 66
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    GET_TELEMETRY_SUBSCRIPTIONS = 71
    PUSH_TELEMETRY = 72
    LIST_CONFIG_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75


@dataclass(frozen=True, slots=True)
class Api:
    """One API: its messages, the advertised versions, and the supported ones.

    The two ranges differ only where a client misinterprets the true one; an advertised version that is not supported is
    refused like any other.
    """

    key: ApiKey
    request: type[Message]
    response: type[Message]
    version_min: int
    version_max: int
    advertised_min: int
    first_flexible: int | None
    first_tagged_answer: int
    """The first version whose response header carries tagged fields."""
    note: str

    @property
    def name(self) -> str:
        """Kafka's name: ``DescribeConfigs``."""
        return self.request.__name__.removesuffix("Request")

    def understands(self, version: int) -> bool:
        return self.version_min <= version <= self.version_max

    def is_flexible(self, version: int) -> bool:
        return self.first_flexible is not None and version >= self.first_flexible


def describe(
    request: type[Message], response: type[Message], *, advertised_min: int | None = None, note: str = ""
) -> Api:
    """Return an API in all versions of its messages."""
    low, high = request.versions[0], request.versions[-1]
    key = ApiKey(request.api_key)
    advertised = low if advertised_min is None else advertised_min
    # ApiVersions responses always have header version 0, also for unknown versions: their reader does not know the
    # broker's versions yet.
    first_tagged = None if key is ApiKey.API_VERSIONS else request.first_flexible
    first_tagged_answer = _NO_VERSION if first_tagged is None else first_tagged
    return Api(key, request, response, low, high, advertised, request.first_flexible, first_tagged_answer, note)


_NO_AUTHORIZER: Final = "Refused with SECURITY_DISABLED, as by a Kafka without an authorizer."
_NO_TOKENS: Final = "Refused with DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, as by a Kafka without security."
_NO_SASL: Final = "Refused with ILLEGAL_SASL_STATE, as on a plaintext listener of Kafka."

_ALL: Final = (
    describe(
        ProduceRequest,
        ProduceResponse,
        advertised_min=0,
        note="Versions 0–2 are advertised, because some versions of librdkafka stop compressing without them, "
        "and refused: they carry message formats 0 and 1.",
    ),
    describe(FetchRequest, FetchResponse),
    describe(ListOffsetsRequest, ListOffsetsResponse),
    describe(MetadataRequest, MetadataResponse),
    describe(OffsetCommitRequest, OffsetCommitResponse),
    describe(OffsetFetchRequest, OffsetFetchResponse),
    describe(
        FindCoordinatorRequest,
        FindCoordinatorResponse,
        note="For groups; a transactional id is refused until transactions are supported.",
    ),
    describe(JoinGroupRequest, JoinGroupResponse),
    describe(HeartbeatRequest, HeartbeatResponse),
    describe(LeaveGroupRequest, LeaveGroupResponse),
    describe(SyncGroupRequest, SyncGroupResponse),
    describe(DescribeGroupsRequest, DescribeGroupsResponse),
    describe(ListGroupsRequest, ListGroupsResponse),
    describe(
        ApiVersionsRequest,
        ApiVersionsResponse,
        note="An unknown version gets UNSUPPORTED_VERSION in version 0, with the supported versions.",
    ),
    describe(CreateTopicsRequest, CreateTopicsResponse),
    describe(DeleteTopicsRequest, DeleteTopicsResponse),
    describe(DeleteRecordsRequest, DeleteRecordsResponse),
    describe(
        InitProducerIdRequest,
        InitProducerIdResponse,
        note="For idempotent producers; a transactional id is refused until transactions are supported. "
        "Version 6 is unstable in Kafka 4.1 and not advertised.",
    ),
    describe(OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse),
    describe(DescribeConfigsRequest, DescribeConfigsResponse),
    describe(AlterConfigsRequest, AlterConfigsResponse),
    describe(DescribeLogDirsRequest, DescribeLogDirsResponse),
    describe(CreatePartitionsRequest, CreatePartitionsResponse),
    describe(DeleteGroupsRequest, DeleteGroupsResponse),
    describe(IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse),
    describe(OffsetDeleteRequest, OffsetDeleteResponse),
    describe(DescribeClusterRequest, DescribeClusterResponse),
    describe(DescribeProducersRequest, DescribeProducersResponse),
    describe(ListConfigResourcesRequest, ListConfigResourcesResponse),
    describe(DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse),
    describe(DescribeAclsRequest, DescribeAclsResponse, note=_NO_AUTHORIZER),
    describe(CreateAclsRequest, CreateAclsResponse, note=_NO_AUTHORIZER),
    describe(DeleteAclsRequest, DeleteAclsResponse, note=_NO_AUTHORIZER),
    describe(
        AlterReplicaLogDirsRequest,
        AlterReplicaLogDirsResponse,
        note="A broker has one data directory; any other is LOG_DIR_NOT_FOUND.",
    ),
    describe(SaslHandshakeRequest, SaslHandshakeResponse, note=_NO_SASL),
    describe(SaslAuthenticateRequest, SaslAuthenticateResponse, note=_NO_SASL),
    describe(CreateDelegationTokenRequest, CreateDelegationTokenResponse, note=_NO_TOKENS),
    describe(RenewDelegationTokenRequest, RenewDelegationTokenResponse, note=_NO_TOKENS),
    describe(ExpireDelegationTokenRequest, ExpireDelegationTokenResponse, note=_NO_TOKENS),
    describe(DescribeDelegationTokenRequest, DescribeDelegationTokenResponse, note=_NO_TOKENS),
    describe(
        ElectLeadersRequest,
        ElectLeadersResponse,
        note="Preferred and unclean elections.",
    ),
    describe(
        AlterPartitionReassignmentsRequest,
        AlterPartitionReassignmentsResponse,
        note="Replicas are moved; a reassignment can be changed and cancelled.",
    ),
    describe(ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse),
    describe(DescribeClientQuotasRequest, DescribeClientQuotasResponse, note="There are none."),
    describe(
        AlterClientQuotasRequest,
        AlterClientQuotasResponse,
        note="Refused with UNSUPPORTED_VERSION: quotas are not enforced, so none are stored. Kafka would store them.",
    ),
    describe(DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse, note="There are none."),
    describe(
        AlterUserScramCredentialsRequest,
        AlterUserScramCredentialsResponse,
        note="Refused with UNSUPPORTED_SASL_MECHANISM: without SASL no credentials are stored. Kafka would store them.",
    ),
    describe(
        DescribeTransactionsRequest,
        DescribeTransactionsResponse,
        note="No transactional id is known until transactions are supported.",
    ),
    describe(
        ListTransactionsRequest, ListTransactionsResponse, note="There are none until transactions are supported."
    ),
)
SERVED: Final[dict[int, Api]] = {int(api.key): api for api in _ALL}


def request_header_version(api: Api, version: int) -> int:
    return 2 if api.is_flexible(version) else 1


def response_header_version(api: Api, version: int) -> int:
    return 1 if version >= api.first_tagged_answer else 0


def advertised_versions() -> list[ApiVersion]:
    """Return the version ranges of an ApiVersions response, ordered by key."""
    return [
        ApiVersion(api_key=key, min_version=api.advertised_min, max_version=api.version_max)
        for key, api in sorted(SERVED.items())
    ]


def unsupported_api_versions_response() -> ApiVersionsResponse:
    """Return the response to an ApiVersions request of an unknown version; it must be encoded in version 0."""
    api = SERVED[ApiKey.API_VERSIONS]
    known = ApiVersion(api_key=api.key, min_version=api.advertised_min, max_version=api.version_max)
    return ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=[known])
