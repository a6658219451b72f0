"""Open many logs at once: directories created together, files opened in threads, logs handed over in groups."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from chronik.metadata.image.image import Image, TopicImage
from chronik.model.ids import TopicPartition
from chronik.server.loop.clock import now_ms
from chronik.server.loop.disk_threads import DiskThread
from chronik.server.replicas.replica import Replica
from chronik.server.replicas.startup_checkpoints import StartupCheckpoints
from chronik.server.settings.topic_configs import TopicConfigs
from chronik.storage.directory import DataDirectory
from chronik.storage.errors import StorageError
from chronik.storage.log import Log

log = logging.getLogger(__name__)

GROUP_SIZE: Final = 32


@dataclass(frozen=True, slots=True)
class Opening:
    """A partition whose log is to be opened."""

    topic: TopicImage
    index: int

    @property
    def where(self) -> TopicPartition:
        return TopicPartition(self.topic.name, self.index)


class LogOpener:
    """Opens logs in its threads and passes each to the table on the loop."""

    def __init__(
        self, directory: DataDirectory, left: StartupCheckpoints, threads: Sequence[DiskThread], configs: TopicConfigs
    ) -> None:
        self._directory = directory
        self._left = left
        self._threads = threads
        self._configs = configs

    async def open(
        self, openings: Sequence[Opening], image: Image, take_up: Callable[[Opening, Log | Exception], None]
    ) -> None:
        """Open logs; ``take_up`` is called for each, with the log or the error.

        Logs are passed on in groups, so that followers are fetched for in one request and not in many.
        """
        paths = await self._threads[0].run(partial(self._create_directories, openings))
        calls = [
            path if isinstance(path, Exception) else self._call(opening, image, path)
            for opening, path in zip(openings, paths, strict=True)
        ]
        due = list(zip(openings, calls, strict=True))

        async def work(thread: DiskThread) -> None:
            while due:
                group, due[:GROUP_SIZE] = due[:GROUP_SIZE], []
                outcomes = await thread.run(partial(_outcomes, [call for _, call in group]))
                for (opening, _), opened in zip(group, outcomes, strict=True):
                    take_up(opening, opened)

        await asyncio.gather(*map(work, self._threads))

    def open_now(self, opening: Opening, image: Image) -> Log | Exception:
        """Open one log on the calling thread."""
        [path] = self._create_directories([opening])
        return path if isinstance(path, Exception) else _outcome(self._call(opening, image, path))

    def _create_directories(self, openings: Sequence[Opening]) -> list[str | Exception]:
        try:
            return [*self._directory.create_partitions([(opening.where, opening.topic.id) for opening in openings])]
        except OSError as error:
            return [error] * len(openings)

    def _call(self, opening: Opening, image: Image, path: str) -> Callable[[], Log]:
        """Return the call that opens the log in a thread."""
        topic, where = opening.topic, opening.where
        return partial(
            Log.open,
            self._directory.disk,
            path,
            where,
            topic.id,
            self._configs.settings_of(image, topic.configs).log,
            log_start_offset=self._left.log_starts.get(where, 0),
            recovery_point=self._left.recovery_points.get(where, 0),
            clean_shutdown=self._left.was_clean,
            now_ms=now_ms(),
        )


def _outcomes(calls: Sequence[Callable[[], Log] | Exception]) -> list[Log | Exception]:
    return [call if isinstance(call, Exception) else _outcome(call) for call in calls]


def _outcome(open_log: Callable[[], Log]) -> Log | Exception:
    try:
        return open_log()
    except (OSError, StorageError) as error:
        return error


def close_log(replica: Replica) -> bool:
    """Close a log; return whether it is clean."""
    try:
        replica.log.close(clean=not replica.is_offline)
    except (OSError, StorageError) as error:
        log.error("%s could not be closed cleanly: %s", replica.topic_partition, error)
        return False
    return not replica.is_offline
