"""Offsets of partitions as CSV, in the form of Kafka's ``kafka-consumer-groups.sh --export`` and ``--from-file``."""

import csv
import io
from collections.abc import Iterable, Mapping

from chronik.model.ids import TopicPartition


def offsets_as_csv(offsets: Mapping[TopicPartition, int]) -> str:
    """Write a line TOPIC,PARTITION,OFFSET for each partition."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerows((at.topic, at.partition, offset) for at, offset in sorted(offsets.items()))
    return output.getvalue()


def offsets_from_csv(lines: Iterable[str], group: str) -> dict[TopicPartition, int]:
    """Read TOPIC,PARTITION,OFFSET, or GROUP,TOPIC,PARTITION,OFFSET of which only this group's lines count.

    All lines that are neither are named in the one error that is raised.
    """
    offsets: dict[TopicPartition, int] = {}
    wrong: list[str] = []
    reader = csv.reader(lines)
    for row in reader:
        if not row:
            continue
        owner, fields = (row[0], row[1:]) if len(row) == 4 else (group, row)
        try:
            topic, partition, offset = fields
            at = TopicPartition(topic, int(partition))
            if int(offset) < 0 or at.partition < 0:
                raise ValueError(offset)
        except ValueError:
            wrong.append(f"line {reader.line_num}: {','.join(row)!r}")
            continue
        if owner == group:
            offsets[at] = int(offset)
    if wrong:
        raise ValueError(f"not TOPIC,PARTITION,OFFSET: {'; '.join(wrong)}")
    return offsets
