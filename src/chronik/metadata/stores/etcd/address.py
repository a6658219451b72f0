"""The URL of an etcd cluster: ``etcd://host:port,host:port/prefix``."""

from typing import Final

from chronik.metadata.stores.port import StoreError

DEFAULT_PORT: Final = 2379
DEFAULT_PREFIX: Final = "chronik/"


def parse_url(url: str) -> tuple[list[tuple[str, int]], str]:
    """Return the members' addresses and the key prefix of an ``etcd:`` URL."""
    members, _, prefix = url.removeprefix("etcd://").partition("/")
    if "@" in members:
        # The part before it may be a password, so the error does not repeat the URL.
        raise StoreError("the metadata store's URL names a user, which is not built yet: use etcd://host:2379")
    addresses = [_address(member, url) for member in members.split(",") if member]
    if not url.startswith("etcd://") or not addresses:
        raise StoreError(f"the metadata store {url!r} names no member: use etcd://host:2379,host:2379")
    return addresses, prefix.rstrip("/") + "/" if prefix else DEFAULT_PREFIX


def _address(member: str, url: str) -> tuple[str, int]:
    host, colon, port = member.rpartition(":")
    if not colon or member.endswith("]"):
        host, port = member, str(DEFAULT_PORT)
    if not host or not port.isdigit():
        raise StoreError(f"{member!r} in the metadata store {url!r} is no address: use host:port")
    return host.strip("[]"), int(port)
