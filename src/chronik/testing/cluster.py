"""A cluster of broker processes for tests: killed, paused, stopped, started one by one, gone when the test is over."""

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from chronik.client.cluster_view import ClusterView
from chronik.testing.broker import Broker
from chronik.testing.process import BrokerError, await_stopped
from chronik.testing.settling import await_settled, await_topic, view_of

READY_SECONDS_MAX: Final = 60.0
VIEW_SECONDS_MAX: Final = 30.0
PAUSE_SECONDS_MAX: Final = 30.0

T = TypeVar("T")


class ClusterProcess:
    """Several brokers on one metadata store, numbered from 1; ``with ClusterProcess(3) as cluster`` runs them.

    ``settings`` are for all of them, ``of_node`` for single ones. The data lies in a temporary directory which is
    removed at the end, or in ``directory``, which is kept.
    """

    def __init__(
        self,
        brokers: int = 3,
        settings: Mapping[str, object] | None = None,
        *,
        directory: str | Path | None = None,
        of_node: Mapping[int, Mapping[str, object]] | None = None,
    ) -> None:
        self._given_directory = None if directory is None else Path(directory).absolute()
        self.directory = self._given_directory or Path(tempfile.mkdtemp(prefix="chronik-cluster-"))
        copies = min(brokers, 3)
        shared: dict[str, object] = {
            "chronik.metadata.store": f"sqlite://{self.directory / 'metadata.db'}",
            "default.replication.factor": copies,
            "offsets.topic.replication.factor": copies,
            "min.insync.replicas": min(brokers, 2),
            **(settings or {}),
        }
        self.brokers: dict[int, Broker] = {
            node: Broker(
                {**shared, **((of_node or {}).get(node, {})), "node.id": node},
                directory=self.directory / f"broker-{node}",
            )
            for node in range(1, brokers + 1)
        }

    @property
    def nodes(self) -> list[int]:
        """The numbers of all brokers."""
        return list(self.brokers)

    @property
    def running(self) -> list[int]:
        """The numbers of those whose process is there, paused ones too."""
        return [node for node, broker in self.brokers.items() if broker.is_running]

    @property
    def bootstrap_servers(self) -> str:
        """Where clients reach it: every broker that was ever started."""
        return ",".join(broker.bootstrap_servers for broker in self.brokers.values())

    def address_of(self, node: int) -> str:
        """Where clients reach one broker, as ``host:port``."""
        return self.brokers[node].bootstrap_servers

    def pid_of(self, node: int) -> int:
        """The number of a broker's running, or last, process."""
        return self.brokers[node].pid

    def start(self, *nodes: int) -> Self:
        """Start these brokers (all that do not run, if none is named) at once, and return when they serve."""
        wanted = nodes or tuple(node for node, broker in self.brokers.items() if not broker.is_running)
        self._each(wanted, lambda broker: broker.start())
        return self

    def stop(self, *nodes: int) -> None:
        """End these brokers (all that run, if none is named) in good order."""
        self._each(nodes or self.running, lambda broker: broker.stop())

    def kill(self, *nodes: int) -> None:
        """End these brokers (all that run, if none is named) as a crash would, all at once."""
        ending = nodes or tuple(self.running)
        # All are paused first: however long this process waits between two signals, no broker sees another one's
        # end and acts on it.
        for node in ending:
            self.pause(node)
        for node in ending:
            os.kill(self.pid_of(node), signal.SIGKILL)
        for node in ending:
            self.brokers[node].kill()

    def pause(self, node: int) -> None:
        """Stop a broker's process where it is (SIGSTOP): it keeps everything and does nothing."""
        pid = self.pid_of(node)
        os.kill(pid, signal.SIGSTOP)
        await_stopped(pid, PAUSE_SECONDS_MAX)

    def resume(self, node: int) -> None:
        """Let a paused process go on (SIGCONT)."""
        os.kill(self.pid_of(node), signal.SIGCONT)

    def restart(self, node: int, *, kill: bool = False) -> None:
        """Stop (or kill) a broker and start it again on the same data and address."""
        self.brokers[node].restart(kill=kill)

    def wait_ready(self, seconds_max: float = READY_SECONDS_MAX, *, in_sync: bool = False) -> Self:
        """Wait until every running broker knows all brokers and leaders; ``in_sync``: and complete in-sync sets."""
        addresses = {node: self.address_of(node) for node in self.running}
        missing = self._in_thread(lambda: asyncio.run(await_settled(addresses, seconds_max, in_sync=in_sync)))
        if missing is not None:
            raise BrokerError(f"not ready after {seconds_max:.0f} s: {missing}\n{self.log_notes()}")
        return self

    def view(self, node: int | None = None) -> ClusterView:
        """Ask one broker, or any that answers, for brokers, topics and leaders."""
        where = self.bootstrap_servers if node is None else self.address_of(node)
        return self._in_thread(lambda: asyncio.run(view_of(where, VIEW_SECONDS_MAX)))

    def create_topic(
        self, name: str, partitions: int = 1, configs: Mapping[str, object] | None = None, replicas: int = -1
    ) -> str:
        """Create a topic and give its name; every broker that answers knows it then, and serves what it leads."""
        from chronik.testing.topics import create_topic

        texts = {key: str(value) for key, value in (configs or {}).items()}
        create_topic(self.bootstrap_servers, name, partitions, texts, READY_SECONDS_MAX, replicas)
        addresses = [self.address_of(node) for node in self.running]
        if not self._in_thread(lambda: asyncio.run(await_topic(addresses, name, READY_SECONDS_MAX))):
            raise BrokerError(
                f"topic {name} is not known everywhere after {READY_SECONDS_MAX:.0f} s\n{self.log_notes()}"
            )
        return name

    def log_notes(self) -> str:
        """Return the last lines of every broker's log, for people."""
        return "\n".join(f"broker {node}: {broker.log_note()}" for node, broker in self.brokers.items())

    def close(self) -> None:
        """End all processes and remove the temporary directory; may be called again."""
        for broker in self.brokers.values():
            broker.close()
        if self._given_directory is None:
            shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Self:
        """Start all; where that fails, nothing is left of them."""
        try:
            return self.start().wait_ready()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all; an error that passes through takes the ends of the brokers' logs along."""
        if error is not None:
            error.add_note(self.log_notes())
        self.close()

    def _each(self, nodes: Iterable[int], do: Callable[[Broker], object]) -> None:
        wanted = [self.brokers[node] for node in nodes]
        if wanted:
            with ThreadPoolExecutor(len(wanted), "chronik-cluster") as threads:
                for _ in threads.map(do, wanted):
                    pass

    def _in_thread(self, work: Callable[[], T]) -> T:
        # A thread may have a loop of its own, whatever runs in the caller's.
        with ThreadPoolExecutor(1, "chronik-cluster") as thread:
            return thread.submit(work).result()
