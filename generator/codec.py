"""Chooses which messages become code, and writes the modules."""

from pathlib import Path

from generator.jar import CLIENTS, GROUP_COORDINATOR, find_jar, read_definitions
from generator.modules import module_name, module_source
from generator.schema import Message, read_messages

# What a broker or client of ours speaks, or will. Raft, share groups and streams groups are not among it.
APIS = [
    "Produce",
    "Fetch",
    "ListOffsets",
    "Metadata",
    "OffsetCommit",
    "OffsetFetch",
    "FindCoordinator",
    "JoinGroup",
    "Heartbeat",
    "LeaveGroup",
    "SyncGroup",
    "DescribeGroups",
    "ListGroups",
    "SaslHandshake",
    "ApiVersions",
    "CreateTopics",
    "DeleteTopics",
    "DeleteRecords",
    "InitProducerId",
    "OffsetForLeaderEpoch",
    "AddPartitionsToTxn",
    "AddOffsetsToTxn",
    "EndTxn",
    "WriteTxnMarkers",
    "TxnOffsetCommit",
    "DescribeAcls",
    "CreateAcls",
    "DeleteAcls",
    "DescribeConfigs",
    "AlterConfigs",
    "AlterReplicaLogDirs",
    "DescribeLogDirs",
    "SaslAuthenticate",
    "CreatePartitions",
    "CreateDelegationToken",
    "RenewDelegationToken",
    "ExpireDelegationToken",
    "DescribeDelegationToken",
    "DeleteGroups",
    "ElectLeaders",
    "IncrementalAlterConfigs",
    "AlterPartitionReassignments",
    "ListPartitionReassignments",
    "OffsetDelete",
    "DescribeClientQuotas",
    "AlterClientQuotas",
    "DescribeUserScramCredentials",
    "AlterUserScramCredentials",
    "DescribeCluster",
    "DescribeProducers",
    "DescribeTransactions",
    "ListTransactions",
    "ConsumerGroupHeartbeat",
    "ConsumerGroupDescribe",
    "DescribeTopicPartitions",
    "ListConfigResources",
    "GetTelemetrySubscriptions",
    "PushTelemetry",
]
SINGLES = ("RequestHeader", "ResponseHeader", "ConsumerProtocolSubscription", "ConsumerProtocolAssignment")
RECORDS = ("OffsetCommit", "GroupMetadata")
"""Kinds of records in ``__consumer_offsets``: each has a key and a value."""
INDEX = '"""The wire codec, one module to an API, written by ``python -m generator``: do not edit."""\n'


def wire_messages() -> dict[str, list[Message]]:
    """The messages of each module of the wire codec, by the API's name."""
    definitions = read_definitions(find_jar(CLIENTS))
    names = {api: [f"{api}Request", f"{api}Response"] for api in APIS} | {single: [single] for single in SINGLES}
    return {api: read_messages([definitions[name] for name in members]) for api, members in names.items()}


def record_messages() -> dict[str, list[Message]]:
    """The messages of each module of the record codec, by the record's name."""
    definitions = read_definitions(find_jar(GROUP_COORDINATOR))
    return {
        f"{kind}Record": read_messages([definitions[f"{kind}Key"], definitions[f"{kind}Value"]]) for kind in RECORDS
    }


def codec_files() -> dict[str, str]:
    """The text of every generated module, by file name."""
    sources = ((wire_messages(), CLIENTS), (record_messages(), GROUP_COORDINATOR))
    files = {
        f"{module_name(name)}.py": module_source(name, messages, artifact)
        for modules, artifact in sources
        for name, messages in modules.items()
    }
    return {"__init__.py": INDEX, **files}


def write_codec(folder: Path, files: dict[str, str]) -> None:
    """Write the modules, and remove those that are no longer generated."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.py"):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (folder / name).write_text(text)
