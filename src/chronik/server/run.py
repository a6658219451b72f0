"""Running one broker as a process: signals, readiness, memory settings."""

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
from chronik.server.broker import BrokerServer
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
"""How much freed memory stays in the heap; larger buffers are allocated from and returned to the kernel."""
GROWTH_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Ready:
    """The addresses and ids of a broker that serves."""

    node_id: int
    cluster_id: str
    kafka: str
    listeners: dict[str, str]
    data_dir: str
    http: str | None
    """The address of its HTTP server, if it has one."""


class BrokerFailedError(Exception):
    """The broker could not start, or had to stop; the message says why and what to do."""


def run_broker(settings: Settings, on_ready: Callable[[Ready], None]) -> None:
    """Run until SIGTERM or SIGINT; raise BrokerFailedError if the broker cannot go on."""
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
    broker = BrokerServer(settings)
    await broker.start()
    loop.set_exception_handler(_failing(broker))
    # Logged before on_ready, so that the line is in the log when the caller learns that the broker is ready.
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


async def _until_stopped(stop: asyncio.Event, broker: BrokerServer) -> None:
    asked = asyncio.ensure_future(stop.wait())
    failed = asyncio.ensure_future(broker.supervisor.wait_for_failure())
    try:
        await asyncio.wait({asked, failed}, return_when=asyncio.FIRST_COMPLETED)
        if failed.done():
            failed.result()
    finally:
        asked.cancel()
        failed.cancel()


def _failing(broker: BrokerServer) -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """Return an exception handler for the loop: a failed callback stops the broker, like a failed task."""

    def handler(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        loop.default_exception_handler(context)
        error = context.get("exception")
        if error is not None:
            broker.supervisor.fail(
                TaskDiedError(f"a callback of the event loop failed: {type(error).__name__}: {error}")
            )

    return handler


def _ready(broker: BrokerServer) -> Ready:
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
    """Let malloc reuse freed buffers instead of returning them to the kernel. Only glibc supports this."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        log.debug("this C library has no mallopt: its memory settings are unchanged")
        return
    mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES)
    mallopt(_M_TOP_PAD, GROWTH_BYTES)
    mallopt(_M_MMAP_THRESHOLD, KEPT_BYTES)


def notify(state: str) -> None:
    """Send ``READY=1``, ``STOPPING=1`` and the like to systemd, if it started this process."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # A leading '@' means an address in the abstract namespace.
    target = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.sendto(state.encode(), target)
    except OSError as error:
        log.warning("%r could not be sent to the service manager at %s: %s", state, address, error)
