"""A process that archives a made-up topic and is killed by the kernel at a chosen moment; for the test of that.

A moment is a call by which the archive changes anything outside its process: the process ends before or behind the
so-many-th of them, with SIGKILL.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from deltalake import DeltaTable

from tests.unit.spark.made_topic import MadeTopic, archive, opened

CHANGES: list[tuple[Any, str]] = [
    (os, "link"),
    (Path, "rename"),
    (Path, "unlink"),
    (pq.ParquetWriter, "write_table"),
    (pq.ParquetWriter, "close"),
    (DeltaTable, "create_write_transaction"),
    (DeltaTable, "create"),
]


def killed_at(moment: int) -> None:
    """Count two moments for each change, one before and one behind it."""
    passed = [0]

    def step() -> None:
        passed[0] += 1
        if passed[0] == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*arguments: Any, **named: Any) -> Any:
            step()
            result = call(*arguments, **named)
            step()
            return result

        return changed

    for owner, name in CHANGES:
        setattr(owner, name, counted(getattr(owner, name)))


def archive_and_die(form: str, directory: str, ends: dict[int, int], moment: int) -> None:
    table = opened(form, Path(directory))
    killed_at(moment)
    archive(table, MadeTopic(ends), commit_records_max=30)
