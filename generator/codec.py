"""Chooses which messages become code, and writes the modules."""

from pathlib import Path

from generator.jar import find_jar, read_definitions
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
INDEX = '"""The wire codec, one module to an API, written by ``python -m generator``: do not edit."""\n'


def all_messages() -> dict[str, list[Message]]:
    """The messages of each module, by the API's name."""
    definitions = read_definitions(find_jar())
    names = {api: [f"{api}Request", f"{api}Response"] for api in APIS} | {single: [single] for single in SINGLES}
    return {api: read_messages([definitions[name] for name in members]) for api, members in names.items()}


def codec_files() -> dict[str, str]:
    """The text of every generated module, by file name."""
    files = {f"{module_name(api)}.py": module_source(api, messages) for api, messages in all_messages().items()}
    return {"__init__.py": INDEX, **files}


def write_codec(folder: Path, files: dict[str, str]) -> None:
    """Write the modules, and remove those that are no longer generated."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.py"):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (folder / name).write_text(text)
