"""Where a cluster's trace events are read: the HTTP server of each broker."""

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

import click

from chronik.cli import exits
from chronik.client.admin_configs import ConfigAdmin
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError
from chronik.protocol.config_resources import ResourceType
from chronik.server.settings.listeners import parse_address, show_address
from chronik.server.status.peers import PeerError, ask

Json = dict[str, Any]
ANSWER_S_MAX: Final = 5.0
_LISTENER: Final = "chronik.http.listener"
_ANYWHERE: Final = frozenset({"", "*", "0.0.0.0", "::"})

http_option = click.option(
    "--http",
    metavar="HOST:PORT",
    envvar="CHRONIK_HTTP",
    show_envvar=True,
    help="The HTTP server of any broker. Default: chronik.http.listener of the brokers.",
)


@dataclass(frozen=True, slots=True)
class TracedBroker:
    """A broker and the address of its HTTP server."""

    node: int
    address: str

    async def page(self, **asked: object) -> Json:
        """Return a page of the trace; raise PeerError where the broker does not answer."""
        query = {name: value for name, value in asked.items() if value is not None}
        return await document(self.address, f"/api/traces?{urlencode(query)}")


async def document(address: str, target: str) -> Json:
    """Return a JSON document; raise PeerError where the address answers with none."""
    answer = await ask(address, target, ANSWER_S_MAX)
    try:
        found = json.loads(answer.body)
    except ValueError:
        raise PeerError(f"{address} answered with something else than JSON") from None
    if answer.status != HTTPStatus.OK or not isinstance(found, dict):
        raise PeerError(f"{address} says: {found.get('error', answer.status)}")
    return found


async def traced_brokers(cluster: Cluster | None, http: str | None) -> list[TracedBroker]:
    """Return the HTTP servers of all brokers, as one of them lists them."""
    problems = []
    for address in [http] if http else await _listeners_of(cluster):
        try:
            return _brokers_in(await document(address, "/api/cluster"))
        except PeerError as error:
            problems.append(str(error))
    raise exits.Failure(
        f"no broker's HTTP server answers: {'; '.join(problems) or 'no broker has one'}",
        "Name one with --http HOST:PORT; the setting chronik.http.listener of a broker holds it.",
        exits.UNKNOWN,
    )


def _brokers_in(facts: Json) -> list[TracedBroker]:
    return [TracedBroker(each["node_id"], each["http"]) for each in facts["brokers"] if each.get("http")]


async def _listeners_of(cluster: Cluster | None) -> list[str]:
    """Return the HTTP listener of every broker; one on all addresses is reached at the broker's own host."""
    assert cluster is not None, "a cluster, or an address"
    view = await cluster.refresh(())
    found = []
    for node, broker in sorted(view.brokers.items()):
        try:
            configs = await ConfigAdmin(cluster).describe(ResourceType.BROKER, str(node), [_LISTENER])
        except ClientError:
            continue
        found += [_reached(each.value, broker.host) for each in configs if each.value]
    return found


def _reached(listener: str, broker_host: str) -> str:
    address = parse_address(listener.removeprefix("http://"))
    return show_address(broker_host if address.host in _ANYWHERE else address.host, address.port)
