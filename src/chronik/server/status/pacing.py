"""Long HTTP responses are computed in slices, so that producers and consumers never wait for them."""

import asyncio
from time import perf_counter

from chronik.model.limits import HTTP_SLICE_S_MAX


class Pace:
    """Lets other work run whenever a slice of time is used up."""

    __slots__ = ("_slice_ends",)

    def __init__(self) -> None:
        self._slice_ends = perf_counter() + HTTP_SLICE_S_MAX

    async def keep(self) -> None:
        """Let other work run if the slice is used up. Call it after every small piece of work."""
        if perf_counter() >= self._slice_ends:
            await asyncio.sleep(0)
            self._slice_ends = perf_counter() + HTTP_SLICE_S_MAX
