"""The run over time, per partition, in few enough points to be drawn; read batch by batch, in bounded memory.

Counts begin at the run's begin, also in a topic that had records before: offsets are counted from the log end that was
seen first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from chronik.audit.diagnose.run_evidence import RunEvidence
from chronik.audit.report.document import Report
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.stream_files import stream_batches

POINTS: Final = 240
LANES_MAX: Final = 64
_LATENCIES_PER_OCTAVE: Final = 8
_OCTAVES: Final = 36
_LEAD_US: Final = 500_000
_MARGIN: Final = 50
"""A fiftieth of the axis stays free at the end, so that a value that no longer changes is seen."""

Numbers = NDArray[Any]
Points = list[float | None]


@dataclass(frozen=True)
class Lane:
    """A partition: how many messages were sent, stored, committed and delivered by the end of each slice of time."""

    partition: int
    sent: Points
    stored: Points
    watermark: Points
    delivered: Points


@dataclass(frozen=True)
class Timeline:
    """All lanes over the same slices, and the latency of what came in each of them."""

    begin_us: int
    step_us: int
    at_s: list[float]
    lanes: list[Lane]
    latency_p50_ms: Points
    latency_p99_ms: Points
    lanes_left_out: int


def timeline_of(report: Report) -> Timeline:
    """Walk the ledgers and the observer's samples of a run."""
    evidence = report.evidence
    begin_us, end_us = _bounds(report)
    step_us = max((end_us - begin_us) // POINTS, 1)
    edges = begin_us + step_us * np.arange(POINTS + 2)
    partitions = sorted(set(report.partitions["partition"].to_pylist()))
    shown = _worth_showing(report, partitions)
    sent = _counts(evidence.send_files(), "sent_us", edges, shown)
    delivered = _counts(evidence.delivered_files(), "received_us", edges, shown, report.worst_group)
    facts = RunEvidence(report.results, evidence)
    lanes = [
        Lane(one, _drawn(sent[one]), *_observed(facts, one, edges), delivered=_drawn(delivered[one])) for one in shown
    ]
    p50, p99 = _latencies(evidence, edges)
    at_s = [round(float(edge - begin_us) / 1e6, 3) for edge in edges[1:]]
    return Timeline(begin_us, step_us, at_s, lanes, p50, p99, len(partitions) - len(shown))


def _worth_showing(report: Report, partitions: list[int]) -> list[int]:
    """Of very many partitions, take those that a finding names, then the first ones."""
    named = {onset["partition"] for row in report.finding_rows for onset in row["onsets"]}
    order = sorted(partitions, key=lambda one: (one not in named, one))
    return sorted(order[:LANES_MAX])


def _bounds(report: Report) -> tuple[int, int]:
    """Take the run's begin and end, or, where they are not known, those of what clients did, and a little more.

    Replicas may be looked at for longer: when the log is read, or until one answers that was kept from it.
    """
    facts, rows = report.facts, report.partitions.to_pylist()
    begin_us, end_us = facts.begin_us, facts.end_us
    if begin_us < 0 or end_us < 0:
        times_us = list(_times(report.evidence)) or report.evidence.observed["at_us"].to_pylist()
        begin_us = begin_us if begin_us >= 0 else min(times_us, default=0)
        end_us = end_us if end_us >= 0 else max(times_us, default=begin_us)
    # Before the first message is sent, clients start: there is nothing to be seen, but a cause that is older.
    begin_us = max(begin_us, int(facts.raw.get("phases", {}).get("sending", 0)) - _LEAD_US)
    if report.root is not None and report.root["since_us"] >= 0:
        begin_us = min(begin_us, report.root["since_us"] - _LEAD_US)
    length_us = max(max([end_us, *(row["last_us"] for row in rows)]) - begin_us, POINTS)
    return begin_us, begin_us + length_us + length_us // _MARGIN


def _times(evidence: Evidence) -> Iterator[int]:
    """Return the first and the last time of every part of the ledgers."""
    places = ((evidence.send_files(), "sent_us"), (evidence.delivered_files(), "received_us"))
    for paths, column in (*places, (evidence.event_files(), "at_us")):
        for batch in _batches(paths, None):
            at_us = np.asarray(batch[column])
            known = at_us[at_us >= 0]
            yield from (int(known.min()), int(known.max())) if len(known) else ()


def _counts(
    paths: list[Path], column: str, edges: Numbers, partitions: list[int], group: str | None = None
) -> dict[int, Numbers]:
    """Count rows of each partition up to the end of each slice."""
    slices = {one: np.zeros(len(edges) - 1, np.int64) for one in partitions}
    for batch in _batches(paths, group):
        partition, at_us = np.asarray(batch["partition"]), np.asarray(batch[column])
        for one in np.intersect1d(np.unique(partition), partitions):
            slices[int(one)] += np.histogram(at_us[partition == one], edges)[0]
    return {one: np.cumsum(counts) for one, counts in slices.items()}


def _batches(paths: list[Path], group: str | None) -> Iterator[Any]:
    """Return the batches of one group's consumers; a ledger is of one group."""
    for path in paths:
        for batch in stream_batches(path):
            if batch.num_rows and (group is None or batch["group"][0].as_py() == group):
                yield batch


def _observed(facts: RunEvidence, partition: int, edges: Numbers) -> tuple[Points, Points]:
    """Return log end and watermark at the end of each slice, as they were seen last."""
    ends, served = facts.ends(partition), facts.served(partition)
    is_leader = ends["node"] == ends["leader"]
    at_end, log_end = ends["at_us"][is_leader], ends["log_end"][is_leader]
    if not len(at_end):
        at_end, log_end = served["at_us"], served["log_end"]
    base = int(log_end[0]) if len(log_end) else int(served["high_watermark"][0]) if len(served["at_us"]) else 0
    return _last(at_end, log_end - base, edges), _last(served["at_us"], served["high_watermark"] - base, edges)


def _last(at_us: Numbers, values: Numbers, edges: Numbers) -> Points:
    places = np.searchsorted(at_us, edges[1:], side="right") - 1
    return [None if place < 0 or values[place] < 0 else float(values[place]) for place in places]


def _drawn(counts: Numbers) -> Points:
    return [float(count) for count in counts]


def _latencies(evidence: Evidence, edges: Numbers) -> tuple[Points, Points]:
    """Return quantiles per slice out of logarithmic bins, eight to an octave: right to within 9 %."""
    slices = np.zeros((len(edges) - 1, _OCTAVES * _LATENCIES_PER_OCTAVE), np.int64)
    for batch in _batches(evidence.delivered_files(), None):
        received_us, sent_us = np.asarray(batch["received_us"]), np.asarray(batch["sent_us"])
        ours = np.asarray(batch["is_ours"]).astype(bool)
        place = np.clip(np.searchsorted(edges, received_us[ours], side="right") - 1, 0, len(slices) - 1)
        length_us = np.maximum(received_us[ours] - sent_us[ours], 1)
        bins = np.minimum((np.log2(length_us) * _LATENCIES_PER_OCTAVE).astype(int), slices.shape[1] - 1)
        np.add.at(slices, (place, bins), 1)
    return _quantile(slices, 0.5), _quantile(slices, 0.99)


def _quantile(slices: Numbers, share: float) -> Points:
    totals = slices.sum(axis=1)
    places = (slices.cumsum(axis=1) >= np.maximum(np.ceil(totals * share), 1)[:, None]).argmax(axis=1)
    values = 2 ** ((places + 0.5) / _LATENCIES_PER_OCTAVE) / 1000
    return [round(float(value), 3) if total else None for value, total in zip(values, totals, strict=True)]
