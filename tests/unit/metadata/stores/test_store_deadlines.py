"""A holder never believes in its lease for longer than others do."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from chronik.metadata.stores.boot_clock import boot_ms
from chronik.metadata.stores.etcd import leases as etcd_leases
from chronik.metadata.stores.etcd.leases import EtcdLease
from chronik.metadata.stores.port import LeaseId, Put, StoreUnavailable
from chronik.metadata.stores.sqlite.leases import SqliteLease
from chronik.metadata.stores.sqlite.store import SqliteStore

BOUND_S = 30.0
TTL_MS = 2_000


class Ends:
    """Takes down which leases are to be ended."""

    def __init__(self) -> None:
        self.soon: list[LeaseId] = []

    async def end(self, lease: LeaseId) -> None:
        self.soon.append(lease)

    def end_soon(self, lease: LeaseId) -> None:
        self.soon.append(lease)


@pytest.mark.parametrize(
    ("beat_ms", "complete_ms", "deadline_ms", "is_lost"),
    [
        (1_500, 1_600, 3_500, False),
        (2_999, 2_999, 4_999, False),
        (2_999, 3_000, 3_000, True),
        (3_500, 3_600, 3_000, True),
    ],
)
def test_heartbeat_renews_only_if_it_was_complete_before_the_deadline_and_counts_from_before_it_was_sent(
    beat_ms: int, complete_ms: int, deadline_ms: int, is_lost: bool
) -> None:
    ends = Ends()
    lease = SqliteLease(LeaseId(7), TTL_MS, 1_000, ends)
    lease.renew(beat_ms, complete_ms)
    assert (lease.deadline_ms, lease.is_lost) == (deadline_ms, is_lost)
    assert ends.soon == ([LeaseId(7)] if is_lost else [])


def test_deadline_of_a_sqlite_lease_is_never_later_than_its_lock_file_says(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = await SqliteStore.open(str(tmp_path / "metadata.db"))
        await asyncio.sleep(0.3)
        asked_ms = boot_ms()
        lease = await store.lease(400)
        assert lease.deadline_ms >= asked_ms + 400
        for _ in range(20):
            record = store._presence.members.record(store._presence.name)
            assert record is not None
            assert lease.deadline_ms <= record.beat_ms + 400
            await asyncio.sleep(0.02)
        await store.close()

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))


def test_process_whose_loop_stood_still_for_too_long_gives_its_lease_up_and_takes_its_keys_away(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        store = await SqliteStore.open(str(tmp_path / "metadata.db"))
        lease = await store.lease(200)
        await store.transact([], [Put("alive", b"", lease.id)])
        time.sleep(0.5)  # noqa: ASYNC251 -- the loop is to stand still
        await lease.lost()
        while await store.get("alive"):  # noqa: ASYNC110 -- a task of the store takes it away
            await asyncio.sleep(0.01)
        await store.close()

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))


class SlowEtcd:
    """Answers a renewal 300 ms after it was sent; the time limits that it gives come from a list."""

    def __init__(self, *ttls_s: int | None) -> None:
        self.now_ms = 10_000
        self._ttls_s = list(ttls_s)

    async def read(self, path: str, payload: Any, timeout_s: float) -> Any:
        await asyncio.sleep(0)
        self.now_ms += 300
        ttl_s = self._ttls_s.pop(0)
        if ttl_s is None:
            raise StoreUnavailable("no answer")
        return {"ID": "7", **({"TTL": str(ttl_s)} if ttl_s else {})}


def renew_all(etcd: SlowEtcd, monkeypatch: pytest.MonkeyPatch) -> EtcdLease:
    monkeypatch.setattr(etcd_leases, "boot_ms", lambda: etcd.now_ms)
    monkeypatch.setattr(etcd_leases, "RETRY_S", 0.0)

    async def scenario() -> EtcdLease:
        lease = EtcdLease(etcd, LeaseId(7), 4, asked_ms=9_900)  # type: ignore[arg-type]
        await asyncio.wait_for(lease.lost(), BOUND_S)
        await asyncio.wait([lease._renewing])
        return lease

    return asyncio.run(scenario())


def test_etcd_s_renewal_counts_from_before_it_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert renew_all(SlowEtcd(2, 0), monkeypatch).deadline_ms == 10_000 + 2_000


def test_renewal_that_etcd_did_not_answer_moves_nothing_and_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert renew_all(SlowEtcd(None, None, 2, None, 0), monkeypatch).deadline_ms == 10_600 + 2_000


def test_task_that_renews_and_dies_is_a_lost_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    lease = renew_all(SlowEtcd(2), monkeypatch)
    assert lease.deadline_ms == 12_000
    assert isinstance(lease._renewing.exception(), IndexError)
