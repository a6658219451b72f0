"""Running one broker as a process: signals, readiness, and the exit code."""

import asyncio
import ctypes
import logging
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from chronik.metadata.stores.port import StoreError
from chronik.server.broker import Broker
from chronik.server.loop.supervision import TaskDiedError
from chronik.server.network.listeners import ListenError
from chronik.server.replicas.table import StaleStoreError
from chronik.server.settings.server import Settings
from chronik.storage.errors import StorageError

log = logging.getLogger(__name__)

_M_TRIM_THRESHOLD: Final = -1
_M_TOP_PAD: Final = -2
_M_MMAP_THRESHOLD: Final = -3
KEPT_BYTES: Final = 32 * 1024 * 1024
"""What may stay at the end of the heap, and the size from which on a buffer is the kernel's business."""
GROWTH_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Ready:
    """What a broker that serves says of itself."""

    node_id: int
    cluster_id: str
    kafka: str
    listeners: dict[str, str]
    data_dir: str
    http: str | None
    """Where its HTTP side is, where it has one."""


class BrokerFailedError(Exception):
    """The broker could not start, or had to stop; the message says why and what to do."""


def run_broker(settings: Settings, on_ready: Callable[[Ready], None]) -> None:
    """Run until SIGTERM or SIGINT; raises BrokerFailedError where it cannot go on."""
    keep_freed_memory()
    try:
        asyncio.run(_run(settings, on_ready))
    except (StoreError, StorageError, StaleStoreError, ListenError, TaskDiedError) as error:
        raise BrokerFailedError(str(error)) from error
    except OSError as error:
        raise BrokerFailedError(f"{error}") from error


async def _run(settings: Settings, on_ready: Callable[[Ready], None]) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    broker = Broker(settings)
    await broker.start()
    loop.set_exception_handler(_failing(broker))
    # Before it is told to others, so that whoever waits for that finds it in the log.
    log.info("broker %d serves %s", broker.node_id, ", ".join(map(_address, broker.endpoints)))
    on_ready(_ready(broker))
    notify("READY=1")
    try:
        await _until_stopped(stop, broker)
    finally:
        notify("STOPPING=1")
        log.info("broker %d is stopping", broker.node_id)
        await broker.stop()
        log.info("broker %d has stopped", broker.node_id)


async def _until_stopped(stop: asyncio.Event, broker: Broker) -> None:
    asked = asyncio.ensure_future(stop.wait())
    failed = asyncio.ensure_future(broker.supervisor.wait_for_failure())
    try:
        await asyncio.wait({asked, failed}, return_when=asyncio.FIRST_COMPLETED)
        if failed.done():
            failed.result()
    finally:
        asked.cancel()
        failed.cancel()


def _failing(broker: Broker) -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """A callback of the loop that fails is a part of the broker that died."""

    def handler(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        loop.default_exception_handler(context)
        error = context.get("exception")
        if error is not None:
            broker.supervisor.fail(TaskDiedError(f"the event loop met {type(error).__name__}: {error}"))

    return handler


def _ready(broker: Broker) -> Ready:
    return Ready(
        node_id=broker.node_id,
        cluster_id=broker.catalog.image.cluster_id or "",
        kafka=_address(broker.endpoints[0]),
        listeners={endpoint.listener: _address(endpoint) for endpoint in broker.endpoints},
        data_dir=broker.settings.data_dir,
        http=broker.http.address(broker.endpoints[0].host),
    )


def _address(endpoint: Any) -> str:
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    return f"{host}:{endpoint.port}"


def keep_freed_memory() -> None:
    """Let freed buffers be used again without the kernel; elsewhere than on glibc nothing changes."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        log.debug("this C library has no mallopt: it keeps memory as it likes")
        return
    mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES)
    mallopt(_M_TOP_PAD, GROWTH_BYTES)
    mallopt(_M_MMAP_THRESHOLD, KEPT_BYTES)


def notify(state: str) -> None:
    """Send ``READY=1``, ``STOPPING=1`` and the like to whoever started us, if they listen."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # A leading '@' stands for an address in the abstract namespace.
    target = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.sendto(state.encode(), target)
    except OSError as error:
        log.warning("the service manager at %s could not be told %r: %s", address, state, error)
