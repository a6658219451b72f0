"""The composition root: one broker, built from its parts, started and stopped in order."""

import asyncio
import gc
import logging
import os
import random
import secrets
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from chronik.metadata.catalog import Catalog
from chronik.metadata.decisions.elections import ElectionRules
from chronik.metadata.decisions.topics import plan_remove_unclaimed
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import Endpoint, Registration
from chronik.metadata.stores.open import open_store
from chronik.metadata.stores.plan import Plan
from chronik.metadata.stores.port import Store
from chronik.model.ids import BrokerEpoch, BrokerId
from chronik.observability.metrics import BrokerMetrics
from chronik.observability.trace import Tracer
from chronik.protocol.apis import SERVED
from chronik.server.cluster.controller import Controller, ControllerRules
from chronik.server.cluster.membership import Membership, MembershipRules
from chronik.server.cluster.producer_ids import ProducerIdSource
from chronik.server.cluster.unclean_recovery import UncleanRecovery
from chronik.server.fetch.sessions import FetchSessions
from chronik.server.groups.coordinator import GroupCoordinatorService
from chronik.server.handlers import HANDLERS
from chronik.server.http.assembly import BrokerHttp
from chronik.server.loop.clock import now_ms
from chronik.server.loop.disk_threads import DiskThread, Flusher
from chronik.server.loop.supervision import Supervisor, measure_delay
from chronik.server.metrics.timed_store import TimedStore
from chronik.server.network.listeners import ConnectionLimits, Listeners, listen
from chronik.server.network.receive_buffers import ReceiveBuffers
from chronik.server.network.response_memory import ResponseMemory
from chronik.server.produce.forwarding import Forwarder, ForwardingRules
from chronik.server.produce.in_flight_guard import InFlightGuard
from chronik.server.produce.router import ProduceRouter
from chronik.server.replicas.compaction import Compactor
from chronik.server.replicas.fetcher import FetcherContext, FetchLimits, LeaderLink, ReplicaFetcher
from chronik.server.replicas.housekeeping import Housekeeping, Intervals
from chronik.server.replicas.isr_updater import IsrUpdater
from chronik.server.replicas.log_opening import LogOpener
from chronik.server.replicas.read_ahead import ReadAhead
from chronik.server.replicas.removal import PartitionRemoval
from chronik.server.replicas.replica import DiskServices
from chronik.server.replicas.startup_checkpoints import StartupCheckpoints, read_revision
from chronik.server.replicas.table import PartitionTable, StaleStoreError
from chronik.server.replicas.terms import ReplicaFactory
from chronik.server.replicas.truncation import DurableTruncation
from chronik.server.replicas.writes import StagedWrites
from chronik.server.requests.context import Services
from chronik.server.requests.dispatch import Dispatcher
from chronik.server.requests.warn_once import Notices
from chronik.server.settings.listeners import Listener, show_address
from chronik.server.settings.server import Settings
from chronik.server.settings.topic_configs import TopicConfigs
from chronik.server.status.sources import Sources
from chronik.server.status.stalled import StalledWatermarks
from chronik.server.tracing.recorder import TraceRecorder
from chronik.server.tracing.switch import TraceSwitch
from chronik.server.views.metadata_responses import MetadataCache
from chronik.storage.checkpoints import HIGH_WATERMARK, LOG_START, RECOVERY_POINT
from chronik.storage.directory import DataDirectory, DirectoryIdentity
from chronik.storage.disk import OsDisk

log = logging.getLogger(__name__)

BACKLOG: Final = 512
"""More than Kafka's 50, because the event loop that serves requests also accepts connections."""
FLUSH_CHECK_S_MAX: Final = 1.0
"""Kafka's default is never, so that a topic's flush.ms would have no effect."""
OPENERS: Final = 4
"""How many logs are opened in parallel: each waits for the disk four times."""
GC_THRESHOLDS: Final = (20_000, 20, 50)
BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


class BrokerServer:
    """One broker of the cluster, in one process, on one event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.node_id = BrokerId(settings.node_id)
        self.endpoints: tuple[Endpoint, ...] = ()
        self.http = BrokerHttp(None)
        self.metrics = BrokerMetrics({key: api.name for key, api in SERVED.items()})
        self._undo: list[Callable[[], object]] = []

    # --- starting

    async def start(self) -> None:
        """Recover the data directory, register, open every partition, then accept connections."""
        loop = asyncio.get_running_loop()
        self.supervisor = Supervisor()
        for warning in self.settings.warnings:
            log.warning("%s", warning)
        self.directory = DataDirectory.hold(OsDisk(), self.settings.data_dir, holder=str(os.getpid()))
        self._undo.append(self.directory.release)
        try:
            await self._start(loop)
        except BaseException:
            await self._abort()
            raise

    async def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        sockets = self._listen()
        await self.http.start()
        self.store = TimedStore(await open_store(self.settings.metadata_store), self.metrics)
        self.catalog = await Catalog.open(self.store)
        self._check_store(self.catalog.image)
        mark = self.directory.take_clean_mark()
        self.supervisor.start("metadata", self.catalog.follow())
        await self._join(None if mark is None else mark.broker_epoch)
        self._build(loop, was_clean=mark is not None)
        await self._open_partitions()
        if self.http.is_on:
            self.http.serve(self._sources())
        for name, listening in sockets:
            self.listeners.add(name, listening)
        # Long-lived objects are excluded from garbage collection, and requests leave no cycles to collect.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)

    def _listen(self) -> list[tuple[str, socket.socket]]:
        backlog = _chosen(self.settings, "socket.listen.backlog.size", self.settings.backlog) or BACKLOG
        sockets = []
        endpoints = []
        for listener in self.settings.listeners:
            listening = listen(listener.host, listener.port, backlog)
            self._undo.append(listening.close)
            sockets.append((listener.name, listening))
            endpoints.append(_endpoint(listener, listening.getsockname()[1]))
        self.endpoints = tuple(endpoints)
        self.http = BrokerHttp.listen(self.settings.http_listener)
        self._undo.append(self.http.release)
        return sockets

    def _check_store(self, image: Image) -> None:
        """Raise StaleStoreError for the store of another cluster, or an older copy, before anything is changed."""
        identity = self.directory.identity()
        if identity is None:
            return
        if image.cluster_id != identity.cluster_id:
            known = f"is of cluster {image.cluster_id}" if image.cluster_id else "is empty"
            raise StaleStoreError(
                f"the data in {self.directory.path} belongs to cluster {identity.cluster_id}, but the metadata store "
                f"{self.settings.metadata_store} {known}. Nothing was changed; put the right store in its place, "
                "or start this broker with an empty data directory."
            )
        applied = read_revision(self.directory)
        if image.revision < applied:
            raise StaleStoreError(
                f"the metadata store {self.settings.metadata_store} is at revision {image.revision}, but this broker "
                f"has applied revision {applied}: it is an older copy. Nothing was changed; put the newest one back."
            )

    async def _join(self, closed_broker_epoch: int | None) -> None:
        """Register in the cluster; the first broker creates it."""
        identity = self.directory.identity()
        directory_id = identity.directory_id if identity is not None else uuid4()
        registration = Registration(
            self.node_id,
            self.endpoints,
            rack=self.settings.rack,
            directory_id=str(directory_id),
            boot_id=_boot_id(),
            closed_broker_epoch=closed_broker_epoch,
            http=self.http.address(self.endpoints[0].host),
        )
        self.membership = Membership(self.store, self.catalog, registration, _membership_rules(self.settings))
        await self.membership.join()
        cluster_id = self.catalog.image.cluster_id
        assert cluster_id is not None, "registering founds the cluster"
        self.directory.adopt(DirectoryIdentity(cluster_id, self.node_id, directory_id))

    def _build(self, loop: asyncio.AbstractEventLoop, *, was_clean: bool) -> None:
        settings = self.settings
        openers = [DiskThread(f"chronik-opener-{number}", loop) for number in range(OPENERS)]
        disk = self._disk_services(loop)
        self._threads = [disk.writer, self.janitor, disk.write_back, disk.key_checker, *openers]
        configs = TopicConfigs(self.node_id, settings.static)
        self.trace_recorder = TraceRecorder(self.tracer, self.directory.path, loop)
        self.trace_switch = TraceSwitch(self.tracer, self.trace_recorder, configs)
        self.isr_updater = IsrUpdater(self.catalog, self.node_id, lag_ms_max=settings.replica_lag_ms_max)
        factory = ReplicaFactory(
            self.node_id,
            disk,
            configs,
            self._truncation(),
            self.isr_updater.propose,
            lag_ms_max=settings.replica_lag_ms_max,
        )
        left = self._left_behind(was_clean=was_clean)
        self.partitions = PartitionTable(
            self.node_id,
            self.directory,
            left,
            factory,
            PartitionRemoval(self.directory, self.janitor, left, loop.call_soon, uuid4),
            LogOpener(self.directory, left, openers, configs),
            configs,
            producer_expiration_ms=settings.producer_id_expiration_ms,
        )
        self.compactor = Compactor(
            self.partitions, self.directory, self.janitor, interval_s=settings.compaction_interval_ms / 1000
        )
        self.housekeeping = Housekeeping(
            self.catalog, self.partitions, self.directory, self.janitor, self.compactor, _intervals(settings)
        )
        self.groups = GroupCoordinatorService(loop, settings.groups, self.writes, self.membership.may_acknowledge_alone)
        self.replica_fetcher = ReplicaFetcher(self._fetcher_context(), self._start_link)
        self.partitions.on_led = self.groups.on_led
        self.partitions.on_followed = self.replica_fetcher.follow
        self.partitions.on_unfollowed = self.replica_fetcher.unfollow
        self.partitions.on_damage = self.membership.report_damage
        self.in_flight_guard = InFlightGuard()
        self.partitions.on_unled = lambda partition: self.in_flight_guard.record_unacknowledged(partition, now_ms())
        self.forwarder = Forwarder(_forwarding_rules(settings))
        self.controller = Controller(self.catalog, self.membership, _controller_rules(settings))
        self.recovery = UncleanRecovery(self.catalog, self.controller, settings.inter_broker_listener)
        memory = ResponseMemory(settings.in_flight_bytes_max)
        services = self._services(loop, configs, memory)
        self.dispatcher = Dispatcher(services, HANDLERS, self.writes, self.supervisor, self.metrics)
        self.listeners = Listeners(
            loop,
            self.dispatcher,
            ReceiveBuffers(settings.in_flight_bytes_max),
            memory,
            _connection_limits(settings),
        )

    def _disk_services(self, loop: asyncio.AbstractEventLoop) -> DiskServices:
        self.writes = StagedWrites()
        self.writer = DiskThread("chronik-writer", loop)
        self.flusher = Flusher(loop, self.metrics.flushes)
        self.janitor = DiskThread("chronik-janitor", loop)
        self.tracer = Tracer(self.node_id)
        return DiskServices(
            self.writer,
            self.flusher,
            write_back=DiskThread("chronik-write-back", loop),
            key_checker=DiskThread("chronik-key-check", loop),
            read_ahead=ReadAhead(loop),
            mark_dirty=self.writes.mark,
            tracer=self.tracer,
            meters=self.metrics.replicas,
        )

    def _services(self, loop: asyncio.AbstractEventLoop, configs: TopicConfigs, memory: ResponseMemory) -> Services:
        return Services(
            loop=loop,
            settings=self.settings,
            node_id=self.node_id,
            catalog=self.catalog,
            configs=configs,
            partitions=self.partitions,
            housekeeping=self.housekeeping,
            writes=self.writes,
            sessions=FetchSessions(self.settings.fetch_sessions_max, random.Random(secrets.randbits(64))),
            producer_ids=ProducerIdSource(self.catalog),
            response_memory=memory,
            notices=Notices(),
            groups=self.groups,
            produce_router=ProduceRouter(
                loop, self.partitions, self.catalog, self.forwarder, self.in_flight_guard, self.membership, self.tracer
            ),
            metadata_cache=MetadataCache(),
            membership=self.membership,
            tracer=self.tracer,
            metrics=self.metrics,
        )

    def _truncation(self) -> DurableTruncation:
        return DurableTruncation(self.directory, self.janitor, lambda: self.partitions.checkpoints()[RECOVERY_POINT])

    def _fetcher_context(self) -> FetcherContext:
        limits = FetchLimits(
            wait_ms=self.settings.replica_fetch_wait_ms_max,
            bytes_max=self.settings.replica_fetch_bytes_max,
            partition_bytes_max=self.settings.replica_fetch_partition_bytes_max,
            backoff_ms=self.settings.replica_fetch_backoff_ms,
        )
        return FetcherContext(self.node_id, self._broker_epoch, self._endpoint_of, limits)

    def _broker_epoch(self) -> BrokerEpoch | None:
        own = self.catalog.image.brokers.get(self.node_id)
        return None if own is None else own.broker_epoch

    def _endpoint_of(self, broker_id: BrokerId) -> Endpoint | None:
        broker = self.catalog.image.brokers.get(broker_id)
        return None if broker is None else broker.endpoint(self.settings.inter_broker_listener)

    def _start_link(self, name: str, link: LeaderLink) -> None:
        self.supervisor.start(name, link.run())

    def _left_behind(self, *, was_clean: bool) -> StartupCheckpoints:
        checkpoints = {
            name: self.directory.read_checkpoint(name) for name in (LOG_START, RECOVERY_POINT, HIGH_WATERMARK)
        }
        for checkpoint in checkpoints.values():
            if checkpoint.problem is not None:
                log.warning("%s", checkpoint.problem)
        return StartupCheckpoints(
            was_clean,
            dict(checkpoints[LOG_START].offsets),
            dict(checkpoints[RECOVERY_POINT].offsets),
            dict(checkpoints[HIGH_WATERMARK].offsets),
        )

    async def _open_partitions(self) -> None:
        await self.catalog.carry_out(_plan_tidying)
        # Before the broker serves, so that its first Metadata response has a controller.
        await self.controller.work()
        for name, duty in self._cluster_duties().items():
            self.supervisor.start(name, duty())
        self.catalog.subscribe(self.trace_switch.on_image)
        self.catalog.subscribe(self.partitions.on_image)
        self.catalog.subscribe(self.groups.on_image)
        self.catalog.subscribe(self.forwarder.on_image)
        self.trace_switch.on_image(Image(), self.catalog.image)
        self.partitions.on_image(Image(), self.catalog.image)
        self.groups.on_image(Image(), self.catalog.image)
        self.forwarder.on_image(Image(), self.catalog.image)
        self.partitions.delete_strays()
        await self.partitions.open_all()
        self.supervisor.start("partitions", self.partitions.run())
        for name, duty in self.housekeeping.duties().items():
            self.supervisor.start(name, duty())
        for name, duty in self.isr_updater.duties(self.partitions).items():
            self.supervisor.start(name, duty())
        for name, duty in self.groups.duties().items():
            self.supervisor.start(name, duty())
        if self.settings.compaction_enabled:
            self.supervisor.start("compaction", self.compactor.run())
        self.supervisor.start("traces", self.trace_recorder.run())
        self.supervisor.start("idle connections", self.listeners.sweep())
        self.supervisor.start("loop delay", measure_delay(self.metrics, lambda: self.catalog.image.topics))

    def _sources(self) -> Sources:
        """Return the parts of the broker that the HTTP server reads from."""
        stalled = StalledWatermarks(self.partitions)
        self.supervisor.start("stalled watermarks", stalled.run())
        own = self.endpoints[0]
        return Sources(
            node_id=self.node_id,
            catalog=self.catalog,
            membership=self.membership,
            partitions=self.partitions,
            groups=self.groups,
            listeners=self.listeners,
            stalled=stalled,
            metrics=self.metrics,
            tracer=self.tracer,
            forwarder=self.forwarder,
            controller=self.controller,
            kafka=show_address(own.host, own.port),
            http=self.http.address(own.host),
            rack=self.settings.rack,
        )

    def _cluster_duties(self) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
        return {
            "membership": self.membership.keep,
            "controller": self.controller.run,
            "leaderships": self.controller.rebalance,
            "last known": self.recovery.run,
        }

    # --- stopping

    async def stop(self) -> None:
        """Move leaderships away, finish the requests in progress, flush everything, and mark the shutdown as clean."""
        self.http.begin_stop()
        if self.settings.cluster.hands_over:
            await self.membership.hand_over()
        self.listeners.stop_accepting()
        self.groups.stop()
        await self._drain()
        self.listeners.close_all("the broker is stopping")
        self.forwarder.close()
        broker_epoch = self.membership.broker_epoch
        await self.http.close()
        await self.supervisor.stop()
        # Replicas were fetched until now: a log that is closed while it is being flushed would count as clean.
        await self._drain()
        is_clean = await self.partitions.close_all()
        await self.trace_recorder.close()
        for thread in self._threads:
            thread.stop()
        self.flusher.stop()
        self.housekeeping.write_all()
        if is_clean and broker_epoch is not None:
            self.directory.write_clean_mark(broker_epoch)
        await self.store.close()
        self.directory.release()

    async def _drain(self) -> None:
        self.writes.write_all()
        await self.writer.drain()
        await self.flusher.drain()

    async def _abort(self) -> None:
        """Release what a failed start had opened."""
        await self.http.close()
        await self.supervisor.stop()
        store: Store | None = getattr(self, "store", None)
        if store is not None:
            await store.close()
        for undo in reversed(self._undo):
            undo()


def _plan_tidying(image: Image) -> Plan[object]:
    """Remove the keys of an incomplete topic, if this is the only broker: another broker may be creating it now."""
    return plan_remove_unclaimed(image) if len(image.brokers) == 1 else Plan((), None)


def _membership_rules(settings: Settings) -> MembershipRules:
    cluster = settings.cluster
    return MembershipRules(cluster.session_ms, flushes_every_append=cluster.flush_interval_messages == 1)


def _forwarding_rules(settings: Settings) -> ForwardingRules:
    return ForwardingRules(
        settings.node_id,
        settings.forward_produce,
        settings.inter_broker_listener,
        settings.connection_in_flight_bytes_max,
    )


def _controller_rules(settings: Settings) -> ControllerRules:
    cluster = settings.cluster
    return ControllerRules(
        ElectionRules(cluster.unclean_election),
        cluster.is_rebalancing,
        cluster.rebalance_interval_s,
        cluster.imbalance_percent_max,
    )


def _intervals(settings: Settings) -> Intervals:
    return Intervals(
        min(settings.flush_check_interval_ms / 1000, FLUSH_CHECK_S_MAX),
        settings.recovery_point_interval_ms / 1000,
        settings.retention_check_interval_ms / 1000,
        settings.producer_id_check_interval_ms / 1000,
    )


def _connection_limits(settings: Settings) -> ConnectionLimits:
    return ConnectionLimits(
        connections_max=settings.connections_max,
        connections_per_address_max=settings.connections_per_ip_max,
        idle_s_max=settings.connection_idle_ms_max / 1000,
        frame_bytes_max=settings.request_bytes_max,
        unsent_bytes_max=settings.connection_in_flight_bytes_max,
        receive_buffer_bytes=_chosen(settings, "socket.receive.buffer.bytes", settings.receive_buffer_bytes),
        send_buffer_bytes=_chosen(settings, "socket.send.buffer.bytes", settings.send_buffer_bytes),
    )


def _chosen(settings: Settings, name: str, size: int) -> int | None:
    """Return a size that is set explicitly; Kafka's defaults for sockets would only slow this broker down."""
    return size if name in settings.static and size > 0 else None


def _endpoint(listener: Listener, bound_port: int) -> Endpoint:
    return Endpoint(listener.name, listener.advertised_host, listener.advertised_port or bound_port)


def _boot_id() -> str:
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return ""
