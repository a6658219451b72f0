"""Prefetch: a thread receives the next chunks while the task decodes the last ones."""

import threading
from collections.abc import Generator, Iterable, Iterator
from queue import Queue
from typing import Final, Protocol, TypeVar

T = TypeVar("T", covariant=True)

DEPTH: Final = 2
"""The number of chunks that may wait, which bounds the memory."""

_END: Final = object()


class Closeable(Protocol[T]):
    """An iterable that another thread can close."""

    def __iter__(self) -> Iterator[T]: ...

    def close(self) -> None: ...


def prefetched(source: Closeable[T]) -> Generator[T]:
    """Iterate over the source in a thread; its errors are raised here."""
    ready: Queue[object] = Queue(DEPTH)
    thread = threading.Thread(target=_fill, args=(source, ready), name="chronik-prefetch", daemon=True)
    thread.start()
    item: object = None
    try:
        while (item := ready.get()) is not _END:
            if isinstance(item, _Raised):
                raise item.error
            yield item  # type: ignore[misc]
    finally:
        source.close()
        while item is not _END:
            item = ready.get()
        thread.join()


class _Raised:
    def __init__(self, error: BaseException) -> None:
        self.error = error


def _fill(source: Iterable[object], ready: "Queue[object]") -> None:
    try:
        for item in source:
            ready.put(item)
    except BaseException as error:  # noqa: BLE001 - the error must reach the reader
        ready.put(_Raised(error))
    finally:
        ready.put(_END)
