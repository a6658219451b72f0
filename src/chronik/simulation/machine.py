"""What a simulated broker stands on: a disk that can be lost, and threads that work on it, as events of one loop."""

from random import Random
from uuid import UUID

from chronik.observability.histograms import Histogram
from chronik.server.loop.disk_threads import DiskThread, Done, Flusher, Job
from chronik.server.replicas.read_ahead import Readable, ReadAhead
from chronik.server.replicas.replica import DiskServices
from chronik.server.replicas.writes import StagedWrites
from chronik.simulation.process import SimulatedProcess
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.reading import LogRead


class SimulatedDiskThread(DiskThread):
    """Jobs are done one after the other, a while after they were given; a crash may fall before, between and after."""

    def __init__(self, process: SimulatedProcess, rng: Random, delay_us: tuple[int, int]) -> None:
        self._process = process
        self._rng = rng
        self._delay_us = delay_us
        self._waiting: list[tuple[Job, Done]] = []

    def submit(self, job: Job, done: Done) -> None:
        self._waiting.append((job, done))
        if len(self._waiting) == 1:
            self._begin()

    def _begin(self) -> None:
        self._process.later(self._rng.randint(*self._delay_us), self._work)

    def _work(self) -> None:
        error: BaseException | None = None
        try:
            self._waiting[0][0]()
        except OSError as raised:
            error = raised
        self._process.later(self._rng.randint(0, 200), lambda: self._complete(error))

    def _complete(self, error: BaseException | None) -> None:
        _, done = self._waiting.pop(0)
        if self._waiting:
            self._begin()
        done(error)


class SimulatedFlusher(Flusher):
    """The broker's group commit, in simulated time."""

    def __init__(self, thread: DiskThread) -> None:
        self._thread = thread
        self._times = Histogram()
        self._wanting = {}
        self._is_running = False


class NoReadAhead(ReadAhead):
    """Nothing is read before it is asked for."""

    def __init__(self) -> None:
        """Hold nothing."""

    def take(self, partition: Readable, offset: int, bytes_max: int, end_offset: int) -> LogRead | None:
        return None

    def after(self, partition: Readable, read: LogRead, bytes_max: int) -> None:
        """Read nothing."""

    def forget(self, partition: Readable) -> None:
        """Know nothing."""


class Machine:
    """One machine: its disk outlives the broker's process, and the kernel's boot id its disk's unflushed pages."""

    def __init__(self, number: int, rng: Random) -> None:
        self._rng = rng
        self.disk = FaultyDisk()
        self.boots = 0
        self.wipes = 0
        self.wall_skew_ms = 0
        """How far its wall clock is from the right time."""
        self._number = number

    @property
    def boot_id(self) -> str:
        return f"boot-{self._number}-{self.boots}"

    @property
    def directory_id(self) -> UUID:
        """The id that a new directory gets; another after each wipe."""
        return UUID(int=(self._number << 16) + self.wipes)

    def crash_process(self) -> None:
        self.disk.process_crash()

    def lose_power(self) -> None:
        """Restart the machine: what was not flushed is lost in part."""
        self.disk.power_cut(self._rng)
        self.boots += 1

    def wipe(self) -> None:
        """Put an empty disk in the place of the old one."""
        self.disk.process_crash()
        self.disk = FaultyDisk()
        self.boots += 1
        self.wipes += 1

    def services(self, process: SimulatedProcess, writes: StagedWrites) -> DiskServices:
        """The threads of one life of the broker."""

        def thread(slowest_us: int) -> DiskThread:
            return SimulatedDiskThread(process, self._rng, (50, slowest_us))

        return DiskServices(
            writer=thread(4_000),
            flusher=SimulatedFlusher(thread(20_000)),
            write_back=thread(1_000),
            key_checker=thread(1_000),
            read_ahead=NoReadAhead(),
            mark_dirty=writes.mark,
        )
