"""The addresses on which the broker listens, and which it advertises: ``listeners`` and ``advertised.listeners``."""

import ipaddress
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from chronik.metadata.configs.validation import did_you_mean, split_list

_WILDCARDS: Final = frozenset({"0.0.0.0", "::", "0:0:0:0:0:0:0:0", "[::]", "*"})
_SECURITY_PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_ADDRESS: Final = re.compile(r"(?:\[([0-9a-fA-F:.]+(?:%[\w.-]+)?)\]|([^\[\]:/]*)):([0-9]{1,5})")


class Listener(NamedTuple):
    """One address that the broker listens on. An empty host means all interfaces; port 0 means any free port.

    An advertised port of 0 means the bound port.
    """

    name: str
    host: str
    port: int
    advertised_host: str
    advertised_port: int
    security_protocol: str = "PLAINTEXT"


class Address(NamedTuple):
    """A host, without the brackets of IPv6, and a port."""

    host: str
    port: int


class ListenerSettings(NamedTuple):
    """The settings of listeners, as text."""

    listeners: str
    advertised: str
    protocol_map: str
    controller_names: str
    hostname: str
    """The advertised host of a listener with an empty host."""


def parse_address(text: str) -> Address:
    """Parse ``host:port``; raise ValueError with a sentence."""
    match = _ADDRESS.fullmatch(text.strip())
    if match is None:
        hint = "; an IPv6 address needs brackets, like [::1]:9092" if text.count(":") > 1 else ""
        raise ValueError(f"{text!r} is not host:port{hint}")
    port = int(match[3])
    if port > 65_535:
        raise ValueError(f"{text!r} has a port above 65535")
    return Address(match[1] or match[2] or "", port)


def resolve_listeners(settings: ListenerSettings, problems: list[str]) -> tuple[Listener, ...]:
    """Return the listeners for clients; errors are added to ``problems``."""
    ours = {name.upper() for name in split_list(settings.controller_names)}
    bound = _named_addresses("listeners", settings.listeners, ours, problems)
    advertised = _named_addresses("advertised.listeners", settings.advertised, ours, problems)
    protocols = _protocol_map(settings.protocol_map, problems)
    if not bound and not problems:
        problems.append("listeners: none is for clients; set for example listeners=PLAINTEXT://localhost:9092")
    problems.extend(
        f"advertised.listeners: {name} is not in listeners{did_you_mean(name, bound)}"
        for name in advertised
        if bound and name not in bound
    )
    _check_distinct(bound, problems)
    return tuple(
        _listener(name, address, advertised.get(name), protocols, settings.hostname, problems)
        for name, address in bound.items()
    )


def _named_addresses(setting: str, text: str, left_out: set[str], problems: list[str]) -> dict[str, Address]:
    found: dict[str, Address] = {}
    for item in split_list(text):
        name, separator, address = item.partition("://")
        name = name.strip().upper()
        if not separator or not re.fullmatch(r"[A-Z0-9_-]+", name):
            problems.append(f"{setting}: {item!r} is not NAME://host:port")
            continue
        if name in found:
            problems.append(f"{setting}: {name} occurs twice")
        if name in left_out:
            continue
        try:
            found[name] = parse_address(address)
        except ValueError as error:
            problems.append(f"{setting}: {name}: {error}")
    return found


def _protocol_map(text: str, problems: list[str]) -> dict[str, str]:
    protocols: dict[str, str] = {}
    for item in split_list(text):
        name, separator, protocol = (part.strip().upper() for part in item.partition(":"))
        if not separator or not name or protocol not in _SECURITY_PROTOCOLS:
            known = ", ".join(_SECURITY_PROTOCOLS)
            problems.append(f"listener.security.protocol.map: {item!r} is not NAME:PROTOCOL with one of {known}")
        else:
            protocols[name] = protocol
    return protocols


def _check_distinct(bound: Mapping[str, Address], problems: list[str]) -> None:
    taken: dict[Address, str] = {}
    for name, address in bound.items():
        if address.port and address in taken:
            problems.append(f"listeners: {taken[address]} and {name} have the same address {show_address(*address)}")
        taken[address] = name


def _listener(
    name: str,
    address: Address,
    advertised: Address | None,
    protocols: Mapping[str, str],
    hostname: str,
    problems: list[str],
) -> Listener:
    found = (_rejection_of_protocol(name, protocols.get(name)), _rejection_of_advertised(name, address, advertised))
    problems.extend(problem for problem in found if problem)
    host, port = advertised or (address.host or hostname, address.port)
    bind_host = "" if address.host == "*" else address.host
    return Listener(name, bind_host, address.port, host, port)


def _rejection_of_protocol(name: str, protocol: str | None) -> str | None:
    if protocol is None:
        return f"listener.security.protocol.map: {name} is missing; add {name}:PLAINTEXT"
    if protocol != "PLAINTEXT":
        return f"listeners: {name} needs {protocol}, but Chronik has only PLAINTEXT yet: put a TLS proxy in front of it"
    return None


def _rejection_of_advertised(name: str, address: Address, advertised: Address | None) -> str | None:
    host = advertised.host if advertised else address.host
    if host in _WILDCARDS:
        what = "advertised.listeners" if advertised else "listeners"
        return (
            f"{what}: {name} advertises {host}, to which no client can connect: set"
            f" advertised.listeners={name}://HOST:{address.port or 9092} with a name or address of this machine"
        )
    return f"advertised.listeners: {name} has no host" if advertised and not host else None


def show_address(host: str, port: int) -> str:
    """Return an address as text, with the brackets that IPv6 needs."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_loopback(host: str) -> bool:
    """Whether only the machine itself can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
