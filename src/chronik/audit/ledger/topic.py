"""Ledgers by way of a topic: the files of a run's directory published as they grow, and put together again elsewhere.

A record is a part of one file: its key is the file's name, a header says where the part belongs, and one partition
holds all of them in their order. Parts that come twice, after a restart of either side, are found to be there.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from chronik.audit.tables.run_facts import RUN_FILE
from chronik.client.cluster import Cluster
from chronik.client.consumer import Consumer, FromEarliest, FromOffset
from chronik.client.delivery import DeliveryOutcome, DeliveryReport
from chronik.client.errors import ClientError
from chronik.client.producer import Producer
from chronik.model.ids import TopicPartition

PART_BYTES: Final = 256 * 1024
POSITION_HEADER: Final = "chronik-ledger-position"
_FOLDERS: Final = ("sends", "polls", "observer")
_NAME: Final = re.compile(r"(?:(?:sends|polls|observer)/[A-Za-z0-9_][A-Za-z0-9_.-]*|run\.json)")
_PARTITION: Final = 0
_LINES: Final = ".reserved"
_PROGRESS: Final = ".published.json"
_OFFSET_FILE: Final = ".read.json"


class Part(NamedTuple):
    """Bytes of one file; ``run.json`` is replaced as a whole, all others grow."""

    name: str
    position: int
    content: bytes


def new_parts(directory: Path, sizes: Mapping[str, int], last_run: bytes) -> Iterator[Part]:
    """Yield the bytes of a run's files beyond these sizes, and ``run.json`` if it has changed."""
    run = directory / RUN_FILE
    content = run.read_bytes() if run.exists() else b""
    if content and content != last_run:
        yield Part(RUN_FILE, 0, content)
    for folder in _FOLDERS:
        for path in sorted((directory / folder).glob("*")):
            name = f"{folder}/{path.name}"
            if path.is_file() and _NAME.fullmatch(name):
                yield from _grown(path, name, sizes.get(name, 0))


def _grown(path: Path, name: str, position: int) -> Iterator[Part]:
    end = path.stat().st_size
    if path.suffix == _LINES:
        # The next incarnation may cut off a torn line and write it again.
        end = path.read_bytes().rfind(b"\n") + 1
    with path.open("rb") as file:
        file.seek(position)
        while position < end and (content := file.read(min(PART_BYTES, end - position))):
            yield Part(name, position, content)
            position += len(content)


async def publish(cluster: Cluster, topic: str, directory: Path) -> int:
    """Publish the bytes that are new since the last call, and return their number."""
    progress = _read_json(directory / _PROGRESS)
    sizes: dict[str, int] = dict(progress.get("sizes", {}))
    run = str(progress.get("run", ""))
    count, waiting = 0, []
    async with Producer(cluster) as producer:
        for part in new_parts(directory, dict(sizes), run.encode()):
            headers = ((POSITION_HEADER, str(part.position).encode()),)
            sent = await producer.send(topic, part.content, part.name.encode(), partition=_PARTITION, headers=headers)
            waiting.append(sent)
            count += len(part.content)
            if part.name == RUN_FILE:
                run = part.content.decode()
            else:
                sizes[part.name] = part.position + len(part.content)
    for sent in waiting:
        _check(topic, await sent)
    # Written last: a process that is killed before publishes the same bytes again.
    _write_json(directory / _PROGRESS, {"sizes": sizes, "run": run})
    return count


def _check(topic: str, delivery: DeliveryReport) -> None:
    if delivery.outcome is not DeliveryOutcome.ACKNOWLEDGED:
        raise ClientError(f"{topic} did not take a part of the ledgers: {delivery.reason or delivery.error.name}")


async def receive(cluster: Cluster, topic: str, directory: Path) -> int:
    """Write the parts that were published since the last call into a directory, and return their number."""
    offset = int(_read_json(directory / _OFFSET_FILE).get("offset", -1))
    at = TopicPartition(topic, _PARTITION)
    start = FromEarliest() if offset < 0 else FromOffset(offset)
    count = 0
    async with Consumer(cluster, {at: start}) as consumer:
        async for fetched in consumer:
            for record in fetched.records():
                _take(directory, record.key, record.value, dict(record.headers))
                offset, count = record.offset + 1, count + 1
    if count:
        _write_json(directory / _OFFSET_FILE, {"offset": offset})
    return count


def _take(directory: Path, key: bytes | None, value: bytes | None, headers: Mapping[str, bytes | None]) -> None:
    name = (key or b"").decode("utf-8", "replace")
    position = headers.get(POSITION_HEADER)
    if _NAME.fullmatch(name) and position is not None and position.isdigit():
        put(directory, Part(name, int(position), value or b""))


def put(directory: Path, part: Part) -> None:
    """Write a part to its place; bytes that exist already are not written again."""
    path = directory / part.name
    path.parent.mkdir(parents=True, exist_ok=True)
    if part.name == RUN_FILE:
        unfinished = path.with_name(f".{RUN_FILE}")
        unfinished.write_bytes(part.content)
        os.replace(unfinished, path)
        return
    size = path.stat().st_size if path.exists() else 0
    if part.position > size:
        raise LedgerGapError(f"{part.name}: {part.position - size:,} bytes are missing behind {size:,}")
    with path.open("ab") as file:
        file.write(part.content[size - part.position :])


class LedgerGapError(Exception):
    """Parts of a ledger are missing in the topic: deleted before they were read, or written to another partition."""


def _read_json(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def _write_json(path: Path, content: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_text(json.dumps(content), encoding="utf-8")
    os.replace(unfinished, path)
