"""``kafka-broker-api-versions.sh``: the versions of APIs that each broker offers, and those that are used here."""

import importlib
from typing import Final

from chronik.cli.kafka_scripts.flags import BOOTSTRAP, COMMAND_CONFIG, Given
from chronik.cli.kafka_scripts.session import Tool, ask, say
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import BrokerNode
from chronik.client.negotiation import Dialect, VersionRange
from chronik.protocol.apis import ApiKey

FLAGS: Final = (BOOTSTRAP, COMMAND_CONFIG)

_KNOWN: Final = frozenset(ApiKey)


def work(given: Given) -> int:
    async def act(cluster: Cluster) -> int:
        view = await cluster.refresh(())
        for node_id in sorted(view.brokers):
            connection = await cluster.connection_to(node_id)
            _print(view.brokers[node_id], connection.dialect)
        return 0

    return ask(given, act)


def _print(broker: BrokerNode, dialect: Dialect) -> None:
    rack = "null" if broker.rack is None else broker.rack
    say(f"{broker.address} (id: {broker.node_id} rack: {rack} isFenced: false) -> (")
    lines = [_line(key, dialect) for key in sorted({*ApiKey, *dialect.ranges})]
    say(",\n".join(lines))
    say(")")


def _line(key: int, dialect: Dialect) -> str:
    name = ApiKey(key).name if key in _KNOWN else "UNKNOWN"
    spelled = "".join(word.capitalize() for word in name.split("_")) if key in _KNOWN else name
    theirs = dialect.ranges.get(key)
    if theirs is None:
        return f"\t{spelled}({key}): UNSUPPORTED"
    offered = str(theirs.lowest) if theirs.lowest == theirs.highest else f"{theirs.lowest} to {theirs.highest}"
    usable = dialect.version_for(key, _known_here(name)) if key in _KNOWN else None
    return f"\t{spelled}({key}): {offered} [usable: {'UNSUPPORTED' if usable is None else usable}]"


def _known_here(name: str) -> VersionRange:
    module = importlib.import_module(f"chronik.protocol.generated.{name.lower()}")
    request = getattr(module, "".join(word.capitalize() for word in name.split("_")) + "Request")
    return VersionRange(request.versions[0], request.versions[-1])


TOOL: Final = Tool("kafka-broker-api-versions.sh", "Print the versions of the APIs that brokers offer.", FLAGS, work)
