"""Long answers are made in slices, so that those who produce and consume never wait for somebody who watches."""

import asyncio
from time import perf_counter

from chronik.model.limits import HTTP_SLICE_S_MAX


class Pace:
    """Lets others work whenever a slice of time is used up."""

    __slots__ = ("_slice_ends",)

    def __init__(self) -> None:
        self._slice_ends = perf_counter() + HTTP_SLICE_S_MAX

    async def keep(self) -> None:
        """Go on within the slice, or let others work first; to be called after every small piece of work."""
        if perf_counter() >= self._slice_ends:
            await asyncio.sleep(0)
            self._slice_ends = perf_counter() + HTTP_SLICE_S_MAX
