"""Producer ids for idempotent producers: allocated from the store in blocks, assigned one by one."""

import asyncio

from chronik.metadata.catalog import Catalog
from chronik.metadata.decisions.brokers import plan_producer_id_block
from chronik.metadata.stores.plan import Refusal
from chronik.model.ids import ProducerId


class ProducerIdSource:
    """Assigns ids that no other broker, and no earlier start of this broker, has assigned."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._block = range(0)
        self._refill = asyncio.Lock()

    async def next_id(self) -> ProducerId:
        """Return an id, asking the store for a new block when the last one is used up."""
        async with self._refill:
            if not self._block:
                block = await self._catalog.carry_out(plan_producer_id_block)
                assert not isinstance(block, Refusal), "there is always a next block"
                self._block = range(block.first, block.first + block.size)
            first, self._block = self._block[0], self._block[1:]
        return ProducerId(first)
