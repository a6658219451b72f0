"""A lease of etcd, kept alive by its own task.

While etcd does not answer, the lease may still be alive: a new leader of etcd restarts the time of all leases. The
deadline is the only certainty.
"""

import asyncio
import logging
from contextlib import suppress
from typing import Final

from chronik.metadata.stores.boot_clock import boot_ms
from chronik.metadata.stores.etcd.client import EtcdClient
from chronik.metadata.stores.port import LeaseEndedError, LeaseId, StoreClosedError, StoreError, StoreUnavailable

log = logging.getLogger(__name__)

RENEWALS_PER_LEASE: Final = 4
RENEWAL_S_MAX: Final = 1.0
RETRY_S: Final = 0.1


class EtcdLease:
    """A lease of this process."""

    def __init__(self, client: EtcdClient, lease_id: LeaseId, ttl_ms: int, asked_ms: int) -> None:
        self._client = client
        self.id = lease_id
        self.ttl_ms = ttl_ms
        self.deadline_ms = asked_ms + ttl_ms
        self._ended = asyncio.Event()
        self._renewing = asyncio.ensure_future(self._renew_on())

    async def lost(self) -> None:
        await self._ended.wait()

    async def revoke(self) -> None:
        await self.stop()
        self._ended.set()
        with suppress(LeaseEndedError):
            await self._client.write("/v3/lease/revoke", {"ID": str(self.id)})

    async def stop(self) -> None:
        """Stop renewing."""
        self._renewing.cancel()
        await asyncio.wait([self._renewing])

    async def _renew_on(self) -> None:
        try:
            while await self._renew():  # noqa: ASYNC110 -- the pause between two renewals
                await asyncio.sleep(self.ttl_ms / 1000 / RENEWALS_PER_LEASE)
            log.warning("the lease %d has ended: it was not renewed in time, or was revoked", self.id)
        except StoreClosedError:
            pass
        except StoreError as error:
            log.error("the lease %d is given up, and the broker registers anew: %s", self.id, error)
        finally:
            self._ended.set()

    async def _renew(self) -> bool:
        """Renew once, however long etcd takes; return False if the lease has ended."""
        while True:
            asked_ms = boot_ms()
            try:
                answer = await self._client.read("/v3/lease/keepalive", {"ID": str(self.id)}, RENEWAL_S_MAX)
            except StoreUnavailable as error:
                log.debug("the lease %d could not be renewed: %s", self.id, error)
                await asyncio.sleep(RETRY_S)
                continue
            if int(answer.get("TTL", 0)) <= 0:
                return False
            self.deadline_ms = asked_ms + int(answer["TTL"]) * 1000
            return True


async def grant(client: EtcdClient, ttl_ms: int) -> EtcdLease:
    """Take a lease. etcd counts in seconds and has a minimum, which may be more than requested."""
    asked_ms = boot_ms()
    answer = await client.write("/v3/lease/grant", {"TTL": str(-(-ttl_ms // 1000))})
    return EtcdLease(client, LeaseId(int(answer["ID"])), int(answer["TTL"]) * 1000, asked_ms)
