"""Translation between the store port and etcd's JSON.

etcd's first revision is 1 and the port's is 0, so one is added on the way out and subtracted on the way in. Keys have a
prefix. 64-bit numbers are strings in this JSON; zeros and empty values are omitted.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from chronik.metadata.stores.etcd.http import Json
from chronik.metadata.stores.port import (
    ABSENT,
    Change,
    ChangeBatch,
    Compare,
    CompareTarget,
    Delete,
    Put,
    StoreEntry,
    Write,
)
from chronik.model.ids import Revision

FIRST: Final = 1
"""etcd's revision of an empty store."""
ALL_KEYS: Final = {"key": b64encode(b"\0").decode(), "range_end": b64encode(b"\0").decode()}
RANGE_LIMIT: Final = 2_000


def to_etcd(revision: Revision) -> int:
    return revision + FIRST


def from_etcd(revision: Any) -> Revision:
    return Revision(max(int(revision) - FIRST, 0))


class EtcdWire:
    """Encoding and decoding of keys with one prefix."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix.encode()

    # --- out

    def get(self, key: str) -> Json:
        return {"key": self._key(key)}

    def page(self, prefix: str, after: str | None, revision: Revision | None) -> Json:
        """Return the request for the keys with a prefix, after the last one that was read, at a revision."""
        start = self._prefix + (prefix.encode() if after is None else after.encode() + b"\0")
        asked: Json = {"key": _base64(start), "range_end": _base64(_end_of(self._prefix + prefix.encode()))}
        if revision is not None:
            asked["revision"] = str(to_etcd(revision))
        return {**asked, "limit": str(RANGE_LIMIT)}

    def transaction(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Json:
        return {"compare": [self._compare(one) for one in compares], "success": [self._write(one) for one in writes]}

    def _compare(self, compare: Compare) -> Json:
        revision = "0" if compare.revision == ABSENT else str(to_etcd(compare.revision))
        target = "mod_revision" if compare.target is CompareTarget.MOD else "create_revision"
        name = "MOD" if compare.target is CompareTarget.MOD else "CREATE"
        return {"key": self._key(compare.key), "target": name, "result": "EQUAL", target: revision}

    def _write(self, write: Write) -> Json:
        if isinstance(write, Delete):
            return {"request_delete_range": {"key": self._key(write.key)}}
        return {"request_put": self._put(write)}

    def _put(self, write: Put) -> Json:
        put: Json = {"key": self._key(write.key), "value": _base64(write.value)}
        return put if write.lease is None else {**put, "lease": str(write.lease)}

    def _key(self, key: str) -> str:
        return _base64(self._prefix + key.encode())

    # --- in

    def entries(self, kvs: Sequence[Json]) -> tuple[StoreEntry, ...]:
        return tuple(self._entry(kv) for kv in kvs)

    def batches(self, events: Sequence[Json]) -> Iterator[ChangeBatch]:
        """Return the transactions of a watch's events. A transaction on foreign keys has no changes."""
        for revision, of_one in groupby(events, key=lambda event: int(event["kv"]["mod_revision"])):
            own = [event for event in of_one if b64decode(event["kv"]["key"]).startswith(self._prefix)]
            yield ChangeBatch(from_etcd(revision), tuple(self._change(event) for event in own))

    def _change(self, event: Json) -> Change:
        kv = event["kv"]
        if event.get("type") == "DELETE":
            return Change(self._own_key(kv), None)
        return Change(self._own_key(kv), self._entry(kv))

    def _entry(self, kv: Json) -> StoreEntry:
        value = b64decode(kv.get("value", ""))
        return StoreEntry(self._own_key(kv), value, from_etcd(kv["create_revision"]), from_etcd(kv["mod_revision"]))

    def _own_key(self, kv: Json) -> str:
        return b64decode(kv["key"]).removeprefix(self._prefix).decode()


def _base64(value: bytes) -> str:
    return b64encode(value).decode()


def _end_of(prefix: bytes) -> bytes:
    """Return the first key after all keys with a prefix."""
    for position in range(len(prefix) - 1, -1, -1):
        if prefix[position] < 0xFF:
            return prefix[:position] + bytes([prefix[position] + 1])
    return b"\0"
