"""Reading ahead: what comes next is received on a thread while the task decodes what came before."""

import threading
from collections.abc import Generator, Iterable, Iterator
from queue import Queue
from typing import Final, Protocol, TypeVar

T = TypeVar("T", covariant=True)

DEPTH: Final = 2
"""How much may lie ready; together with what is decoded and what is received this bounds the memory."""

_END: Final = object()


class Closeable(Protocol[T]):
    """Something to iterate over that can be told to stop from another thread."""

    def __iter__(self) -> Iterator[T]: ...

    def close(self) -> None: ...


def prefetched(source: Closeable[T]) -> Generator[T]:
    """Give what the source gives, read on a thread; whatever it raises is raised here."""
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
    except BaseException as error:  # noqa: BLE001 - whatever ends the thread must reach the reader
        ready.put(_Raised(error))
    finally:
        ready.put(_END)
