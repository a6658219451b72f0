"""Builders of runs that never were: rows for every table of a run's directory, and verdicts given by hand.

Times are seconds from the begin of the run. ``Case.flow`` makes a clean run, in which things are then made wrong.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from chronik.audit.diagnose.diagnosis import diagnose
from chronik.audit.judge.results import AuditResults
from chronik.audit.pipeline import report_results
from chronik.audit.report.document import Report
from chronik.audit.tables import schemas
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.schemas import SendOutcome
from chronik.audit.tables.spans import ReadSpan, write_spans

BEGIN_US = 1_800_000_000_000_000
TOPIC = "orders"
GROUP = "readers"
RUN = 7
NODES = (1, 2, 3)

Row = dict[str, Any]


def us(at_s: float) -> int:
    return BEGIN_US + round(at_s * 1_000_000)


@dataclass
class Case:
    """A run in the making."""

    directory: Path
    settings: Row = field(default_factory=dict)
    seen: Row = field(default_factory=dict)
    end_s: float = 30.0
    stall_s: float = 5.0
    timeout_s: float = 20.0
    rows: dict[str, list[Row]] = field(default_factory=dict)
    traced: list[Row] = field(default_factory=list)
    judged: list[Row] = field(default_factory=list)
    stalls: dict[int, list[Row]] = field(default_factory=dict)
    spans: list[ReadSpan] = field(default_factory=list)
    partitions: int = 3

    # --- rows

    def add(self, table: str, **row: Any) -> None:
        self.rows.setdefault(table, []).append(row)

    def send(self, sequence: int, partition: int, offset: int, at_s: float, **more: Any) -> None:
        row = {
            "producer": 0,
            "incarnation": 0,
            "key_hash": 0,
            "is_null": False,
            "error": "",
            "outcome": SendOutcome.ACKED,
        }
        row |= {"sequence": sequence, "partition": partition, "offset": offset}
        row |= {"sent_us": us(at_s), "done_us": us(at_s + 0.01)}
        self.add("sends", **(row | more))

    def store(self, sequence: int, partition: int, offset: int, at_s: float = 0.0, **more: Any) -> None:
        row = {"node": -1, "partition": partition, "offset": offset, "timestamp_ms": us(at_s) // 1000, "is_ours": True}
        row |= {"run": RUN, "producer": 0, "sequence": sequence, "sent_us": us(at_s), "is_intact": True, "key_hash": 0}
        row |= {"is_null": False, "leader_epoch": 0, "producer_id": -1, "producer_epoch": -1, "base_sequence": -1}
        self.add("stored", **(row | {"is_control": False, "is_aborted": False} | more))

    def copy_to(self, partition: int, *nodes: int) -> None:
        """Let every one of these replicas, the leader first, hold what clients see of a partition, and be read."""
        seen = [row for row in self.rows["stored"] if row["partition"] == partition]
        for node in nodes:
            for row in seen:
                self.add("stored", **(row | {"node": node}))
            end, is_leader = len(seen), node == nodes[0]
            self.spans.append(ReadSpan(node, partition, 0, end, end, is_leader=is_leader))

    def deliver(self, sequence: int, partition: int, offset: int, at_s: float, **more: Any) -> None:
        row = {"group": GROUP, "consumer": 0, "generation": 1, "poll": int(at_s * 10), "received_us": us(at_s)}
        row |= {"partition": partition, "offset": offset, "timestamp_ms": us(at_s) // 1000, "is_ours": True, "run": RUN}
        row |= {"producer": 0, "sequence": sequence, "sent_us": us(at_s), "is_intact": True}
        self.add("delivered", **(row | more))

    def event(self, kind: str, at_s: float, **more: Any) -> None:
        row = {"consumer": 0, "group": GROUP, "at_us": us(at_s), "kind": kind, "partition": -1, "offset": -1}
        self.add("events", **(row | {"generation": 1, "count": 0, "text": ""} | more))

    def look(self, at_s: float, partition: int, watermark: int, end: int, **more: Any) -> None:
        """Sample a partition: the leader's watermark, and every replica's log end (``ends`` by node)."""
        leader, ends = more.pop("leader", 1), more.pop("ends", {})
        row = {"at_us": us(at_s), "mono_us": us(at_s), "partition": partition, "log_start": 0, "last_stable": watermark}
        row |= {"leader": leader, "leader_epoch": 0, "isr": list(NODES), "error": ""} | more
        for node in NODES:
            mark = watermark if node == leader else -1
            self.add("observed", **row, node=node, high_watermark=mark, log_end=ends.get(node, end))

    def epoch(self, partition: int, leader_epoch: int, start: int, end: int = 1000) -> None:
        self.add("epochs", partition=partition, leader_epoch=leader_epoch, start_offset=start, end_offset=end)

    def tap(self, at_s: float, api: str, direction: str, correlation: int, **more: Any) -> None:
        self.seen["tap"] = True
        row = {"at_us": us(at_s), "mono_us": us(at_s), "connection": 1, "node": 1, "client_id": "client", "api": api}
        row |= {"version": 1, "correlation": correlation, "direction": direction, "partition": -1, "offset": -1}
        row |= {"count": -1, "bytes": -1, "error": "", "high_watermark": -1, "log_start": -1, "leader": -1}
        told = {"topic": TOPIC} | more.pop("told", {})
        self.add("tap", **(row | {"leader_epoch": -1, "text": json.dumps(told)} | more))

    def trace(self, at_s: float, event: str, **more: Any) -> None:
        self.seen["trace"] = True
        self.traced.append({"node": 1, "at_us": us(at_s), "event": event, "topic": TOPIC, "partition": 0} | more)

    def judge(self, sequence: int, verdict: str, partition: int, offset: int, *flags: str, **more: Any) -> None:
        row = {"group": GROUP, "run": RUN, "producer": 0, "sequence": sequence, "verdict": verdict}
        row |= {"flags": list(flags), "is_allowed": False, "partition": partition, "offset": offset, "why": ""}
        self.judged.append(row | {"acked_partition": partition, "acked_offset": offset} | more)

    # --- wholes

    def flow(self, count: int = 90, every_s: float = 0.1) -> "Case":
        """A clean run: messages over all partitions, stored and delivered, with a watermark that follows."""
        self.event("start", 0.0, text=json.dumps({"reset": "earliest", "isolation": "read_uncommitted"}))
        for sequence in range(count):
            partition, offset, at_s = sequence % self.partitions, sequence // self.partitions, sequence * every_s
            self.send(sequence, partition, offset, at_s)
            self.store(sequence, partition, offset, at_s)
            self.deliver(sequence, partition, offset, at_s + 0.02)
        self.event("end", self.end_s)
        self.watch(count, every_s)
        return self

    def watch(self, count: int, every_s: float) -> None:
        """Look at every partition five times a second, until the end."""
        for step in range(int(self.end_s * 5)):
            sent = min(count, int(step * 0.2 / every_s))
            for partition in range(self.partitions):
                end = (sent + self.partitions - 1 - partition) // self.partitions
                self.look(step * 0.2, partition, end, end)
        for partition in range(self.partitions):
            self.epoch(partition, 0, 0)

    def without(self, table: str, **where: Any) -> None:
        """Take the rows away that have these values."""
        kept = [row for row in self.rows.get(table, []) if any(row[name] != value for name, value in where.items())]
        self.rows[table] = kept

    def stall(self, partition: int, begin_s: float, end_s: float) -> None:
        span = {"begin_us": us(begin_s), "end_us": us(end_s), "text": ""}
        self.stalls.setdefault(partition, []).append(span)

    # --- the directory

    def write(self) -> tuple[AuditResults, Evidence]:
        """Write the directory, and give results and evidence."""
        self._write_run()
        for table, place in _PLACES.items():
            if rows := self.rows.get(table):
                _write_stream(self.directory / place, pa.Table.from_pylist(rows, getattr(schemas, table.upper())))
        if self.spans:
            write_spans(self.directory / "stored", self.spans)
        if self.traced:
            path = self.directory / "trace" / "1.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in self.traced))
        return self.results(), Evidence(self.directory)

    def _write_run(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        run = {"run": RUN, "topic": TOPIC, "begin_us": us(0), "end_us": us(self.end_s), "stall_s": self.stall_s}
        run |= {
            "timeout_s": self.timeout_s,
            "partitions": self.partitions,
            "settings": self.settings,
            "seen": self.seen,
        }
        (self.directory / "run.json").write_text(json.dumps(run))

    def results(self) -> AuditResults:
        verdicts = pa.Table.from_pylist(self._verdicts(), schemas.VERDICTS)
        messages = pa.Table.from_pylist(self.judged, schemas.MESSAGES)
        partitions = pa.Table.from_pylist([self._partition(one) for one in range(self.partitions)], schemas.PARTITIONS)
        return AuditResults(verdicts, messages, partitions, len(self.rows.get("sends", ())))

    def _verdicts(self) -> list[Row]:
        marks = [(row["verdict"], row) for row in self.judged]
        marks += [(f"+{flag}", row) for row in self.judged for flag in row["flags"]]
        names = sorted({name for name, _ in marks})
        counts = {name: sum(one == name for one, _ in marks) for name in names}
        allowed = {name: sum(one == name and row["is_allowed"] for one, row in marks) for name in names}
        counts["DELIVERED"] = allowed["DELIVERED"] = len(self.rows.get("sends", ())) - sum(
            row["verdict"] != "DELIVERED" for row in self.judged
        )
        return [
            {"group": GROUP, "verdict": name, "count": counts[name], "allowed_count": allowed[name]} for name in counts
        ]

    def _partition(self, partition: int) -> Row:
        numbers = dict.fromkeys(schemas.PARTITIONS.names, 0)
        stored = [row for row in self.rows.get("stored", []) if row["partition"] == partition]
        delivered = [row for row in self.rows.get("delivered", []) if row["partition"] == partition]
        own = {"group": GROUP, "partition": partition, "stored": len(stored), "delivered": len(delivered)}
        sent = [row for row in self.rows.get("sends", []) if row["partition"] == partition]
        own |= {"sent": len(sent), "acked": sum(row["outcome"] == SendOutcome.ACKED for row in sent)}
        return numbers | own | {"gaps": [], "stalls": self.stalls.get(partition, []), "plateaus": []}

    def report(self, *, is_redacted: bool = False) -> Report:
        """Write everything, and the report of it."""
        results, _ = self.write()
        return report_results(self.directory, results, is_redacted=is_redacted)

    def findings(self) -> list[Row]:
        """Write everything and ask for the diagnosis."""
        rows: list[Row] = diagnose(*self.write()).to_pylist()
        return rows


_PLACES = {
    "sends": "sends/0.arrows",
    "stored": "stored/leader.arrows",
    "delivered": "polls/0.arrows",
    "events": "polls/0.events.arrows",
    "observed": "observer/samples.arrows",
    "epochs": "observer/epochs.arrows",
    "tap": "tap/tap.arrows",
}


def _write_stream(path: Path, table: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
