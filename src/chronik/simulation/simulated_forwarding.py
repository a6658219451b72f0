"""Forwarding between simulated brokers: the real forwarder, on connections of the simulated network."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from chronik.client.errors import ClientError
from chronik.metadata.image.image import Image
from chronik.model.ids import BrokerId
from chronik.protocol.constants import PRODUCE_FIRST_VERSION_BY_ID
from chronik.protocol.generated.produce import ProduceRequest, ProduceResponse
from chronik.server.produce.forwarding import CONNECT_BACKOFF_S, Forwarder, ForwardingRules, _Target
from chronik.server.requests.context import RequestContext
from chronik.simulation.network import LOST, Network, Reply
from chronik.simulation.process import SimulatedProcess
from chronik.simulation.scheduler import Scheduler, TimerHandle

if TYPE_CHECKING:
    from asyncio import Future

CONNECT_US: Final = 300_000
LISTENER: Final = "PLAINTEXT"


class Server(Protocol):
    """A broker that is forwarded to."""

    process: SimulatedProcess

    def answer_produce(self, request: ProduceRequest, context: RequestContext, reply: Reply) -> None:
        """Serve a produce request."""


class _Loop:
    """What the forwarder asks of an event loop."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def time(self) -> float:
        return self._scheduler.now_us / 1_000_000

    def create_task(self, begun: TimerHandle) -> TimerHandle:
        """Return what has been begun: it can be cancelled."""
        return begun


class SimulatedForwarder(Forwarder):
    """One life of a broker's forwarder."""

    def __init__(
        self,
        broker: BrokerId,
        process: SimulatedProcess,
        scheduler: Scheduler,
        network: Network,
        find: Callable[[BrokerId], Server],
        *,
        is_enabled: bool,
    ) -> None:
        self._rules = ForwardingRules(broker, is_enabled)
        self._loop = _Loop(scheduler)  # type: ignore[assignment]
        self._image = Image()
        self._targets = {}
        self._misdirected = {}
        self.requests_forwarded = self.batches_forwarded = self.clients_redirected = 0
        self._process = process
        self._network = network
        self._find = find

    def _target(self, leader: BrokerId) -> _Target | None:
        target = self._targets.get(leader)
        endpoint = self._endpoint(leader)
        if target is None and endpoint is not None:
            target = _SimulatedTarget(self._loop, leader, endpoint, self._rules)
            target.place(self._process, self._network, self._find(leader))
            self._targets[leader] = target
        return target


class _SimulatedTarget(_Target):
    """The one connection to one broker."""

    def place(self, process: SimulatedProcess, network: Network, server: Server) -> None:
        self._process = process
        self._network = network
        self._server = server

    def _connect(self) -> TimerHandle:  # type: ignore[override]
        """Begin to connect; waiting requests are sent or refused when the attempt has ended."""
        server, done = self._server, TimerHandle(self._on_connected)
        life = server.process.life

        def heard(answer: object) -> None:
            is_connected = answer is not LOST
            self._connection = _SimulatedConnection(self, life) if is_connected else None  # type: ignore[assignment]
            done.run()

        self._network.call(
            self._process, server.process, lambda reply: reply("connected"), heard, timeout_us=CONNECT_US
        )
        return done

    def _on_connected(self) -> None:
        if self._connection is None:
            self._backoff_until = self._loop.time() + CONNECT_BACKOFF_S
        self._connecting = None
        self._send_queued()

    def _sent(self, request: ProduceRequest, wait_s: float) -> "Future[ProduceResponse]":
        connection: Any = self._connection
        if connection is None or not connection.is_open:
            raise ClientError("there is no connection")
        return connection.send(request, int(wait_s * 1_000_000))  # type: ignore[no-any-return]

    def ask(self, request: ProduceRequest, done: Callable[[object], None], timeout_us: int) -> None:
        """Send a request to the server, marked as forwarded."""
        server, client_id = self._server, self._settings.client_id
        context = RequestContext(PRODUCE_FIRST_VERSION_BY_ID, client_id, LISTENER, self._process.name)
        self._network.call(
            self._process,
            server.process,
            lambda reply: server.answer_produce(request, context, reply),
            done,
            timeout_us=timeout_us,
        )

    def is_server_at(self, life: int) -> bool:
        return self._server.process.is_running and self._server.process.life == life


class _SimulatedConnection:
    """A connection to one life of a server; with its end everything that is under way on it has failed."""

    def __init__(self, target: _SimulatedTarget, life: int) -> None:
        self._target = target
        self._life = life
        self._is_closed = False
        self._waiting: list[_Answer] = []

    @property
    def is_open(self) -> bool:
        return not self._is_closed and self._target.is_server_at(self._life)

    @property
    def in_flight(self) -> int:
        return len(self._waiting)

    def send(self, request: ProduceRequest, timeout_us: int) -> "_Answer":
        answer = _Answer()
        self._waiting.append(answer)

        def heard(outcome: object) -> None:
            if outcome is LOST:
                self.close()
            elif answer in self._waiting:
                self._waiting.remove(answer)
                answer.settle(outcome)

        self._target.ask(request, heard, timeout_us)
        return answer

    def close(self) -> None:
        self._is_closed = True
        waiting, self._waiting = self._waiting, []
        for answer in waiting:
            answer.settle(None)


class _Answer:
    """What becomes of a request, as a future tells it."""

    def __init__(self) -> None:
        self._response: object = None
        self._callbacks: list[Callable[[Any], None]] = []

    def settle(self, response: object) -> None:
        """Return the response, or None where there will be none."""
        self._response = response
        for callback in self._callbacks:
            callback(self)

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        self._callbacks.append(callback)

    def exception(self) -> ClientError | None:
        return ClientError("the connection is gone") if self._response is None else None

    def result(self) -> object:
        return self._response
