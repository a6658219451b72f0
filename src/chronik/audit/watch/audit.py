"""The continuous audit, step by step: what is new is summed up, what is old enough is judged, and all is kept at once.

Time comes in with every step. Where tasks run, and how the log is read, is given to it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from chronik.audit.judge.balance.entries import EntryKind
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.judge.classify.verdicts import FOREIGN
from chronik.audit.ledger.tails import LedgerPlace, Tail, TailSplit, new_splits
from chronik.audit.tables.run_facts import RunFacts
from chronik.audit.topic.audit import WEIGHTS, Weight
from chronik.audit.topic.examination import Examination, Oddity
from chronik.audit.watch.context import (
    EVENTS_SUFFIX,
    WatchScope,
    context_of,
    facts_of,
    read_events,
    read_reservations,
    run_json,
)
from chronik.audit.watch.events import reduced
from chronik.audit.watch.files import load_state, save_state
from chronik.audit.watch.finalise import finalise_window
from chronik.audit.watch.incidents import WatchFinding
from chronik.audit.watch.state import WatchState
from chronik.audit.watch.sums import DELIVERED, SENT
from chronik.audit.watch.tasks import LogSource, ReadAgain, RunTasks, SumLedger, SumLog
from chronik.audit.watch.windows import CLOSED, Allotment, add_split

WINDOWS_PER_HORIZON: Final = 4
STEP_OFFSETS_MAX: Final = 1_000_000
"""So much of each partition is read in a step, so that a long backlog is kept in parts."""
_US_PER_MS: Final = 1000
_LEFT_BY_COMPACTION: Final = frozenset({Oddity.GAP, Oddity.SEQUENCE_GAP})


@dataclass(frozen=True, slots=True)
class TopicNow:
    """The start and end offsets of a topic at a time."""

    topic_id: str
    starts: Mapping[int, int]
    ends: Mapping[int, int]
    asked_us: int
    log_ends: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WatchRules:
    """What is watched, and when verdicts are final."""

    topic: str
    horizon_us: int
    scope: WatchScope = field(default_factory=WatchScope)
    strict: bool = False
    begins_at_end: bool = False
    step_offsets_max: int = STEP_OFFSETS_MAX


@dataclass(slots=True)
class WatchStep:
    """What a step brought."""

    new: list[WatchFinding] = field(default_factory=list)
    is_behind: bool = False
    """There is more to be read at once."""
    waits_for: str = ""


class ContinuousAudit:
    """One topic under audit; its state lies in a directory and is whole after every step."""

    def __init__(
        self, directory: Path, rules: WatchRules, place: LedgerPlace | None, log: LogSource, run: RunTasks[Any]
    ) -> None:
        self.rules = rules
        self._directory = directory
        self._place = place
        self._log = log
        self._run = run
        self.state = load_state(directory) or WatchState(topic=rules.topic)
        if self.state.topic != rules.topic:
            raise ValueError(f"{directory} holds the audit of topic {self.state.topic}, not of {rules.topic}")

    def step(self, topic: TopicNow, now_us: int, *, is_last: bool = False) -> WatchStep:
        """Read what is new, judge what is old enough, and keep the result; ``is_last`` judges everything."""
        try:
            step = self._step(topic, now_us, is_last=is_last)
        except BaseException:
            # What was counted of a step that did not end is given up with it.
            self.state = load_state(self._directory) or WatchState(topic=self.rules.topic)
            raise
        return step

    def _step(self, topic: TopicNow, now_us: int, *, is_last: bool) -> WatchStep:
        facts = self._facts()
        if facts is None:
            return WatchStep(waits_for="run.json: no client has begun to record")
        state = self.state
        if topic.asked_us < state.asked_us:
            return WatchStep()  # a batch that is handed out again after a restart: all of it is counted
        state.asked_us = topic.asked_us
        self._begin(facts, now_us)
        findings = [*self._note_topic(topic, facts, now_us)]
        if self._place is not None:
            read_reservations(state, self._place)
            read_events(state, self._place)
        self._sum_up(topic, self._context(facts), now_us)
        findings += self._examined(facts, now_us)
        is_behind = any(state.offsets[partition] < end for partition, end in topic.ends.items())
        if not is_behind:
            state.caught_up_us = topic.asked_us
        findings += self._judge(facts, now_us, is_last=is_last and not is_behind)
        new = state.incidents.take(findings)
        state.incidents.forget_quiet(now_us - self.rules.horizon_us)
        state.events = reduced(state.events, state.since_us())
        state.steps += 1
        save_state(self._directory, state)
        return WatchStep(new, is_behind)

    def _facts(self) -> RunFacts | None:
        if self._place is None:
            configs = dict(self.rules.scope.configs or {})
            return RunFacts(run=0, topic=self.rules.topic, configs_begin=configs)
        raw = run_json(self._place)
        return None if raw is None else facts_of(raw, self.state, self.rules.scope)

    def _begin(self, facts: RunFacts, now_us: int) -> None:
        state = self.state
        if not state.windows:
            state.begin_us, state.run = now_us, facts.run
            state.begin_window(now_us, {})
        if state.run != facts.run:
            raise ValueError(f"the ledgers are of run {facts.run:016x}, the state is of run {state.run:016x}")

    def _context(self, facts: RunFacts) -> AuditContext:
        return context_of(self.state, facts, self._place, self.rules.scope)

    # -- the topic -------------------------------------------------------------------------------------------------

    def _note_topic(self, topic: TopicNow, facts: RunFacts, now_us: int) -> Iterator[WatchFinding]:
        """Take in the ends of the topic; records that can no longer be read are a finding."""
        state = self.state
        if state.topic_id and topic.topic_id != state.topic_id:
            yield self._noted("topic-made-again", -1, 1, "the topic was deleted and made again", now_us)
            for partition in list(state.offsets):
                self._start_over(partition, topic.starts.get(partition, 0))
        state.topic_id = topic.topic_id
        state.log_starts, state.log_ends = dict(topic.starts), dict(topic.log_ends)
        for partition, end in sorted(topic.ends.items()):
            start = topic.starts.get(partition, 0)
            if partition not in state.offsets:
                begin = end if self.rules.begins_at_end else max(start, min(facts.starts.get(partition, 0), end))
                state.begins[partition] = state.offsets[partition] = begin
            known = state.offsets[partition]
            if end < known:
                text = f"the log ended at {known:,} before, and ends at {end:,} now: what was read there is gone"
                yield self._noted("log-end-moved-back", partition, known - end, text, now_us, is_wrong=True)
                self._start_over(partition, end)
            elif start > known:
                text = f"offsets {known:,} to {start - 1:,} were removed before they were read"
                yield self._noted("removed-before-read", partition, start - known, text, now_us)
                state.offsets[partition] = start

    def _start_over(self, partition: int, offset: int) -> None:
        """Read a partition on from an offset below, where other records stand now."""
        self.state.offsets[partition] = offset
        self.state.lanes.pop(partition, None)
        self.state.examinations.pop(partition, None)

    def _noted(
        self, kind: str, partition: int, count: int, text: str, now_us: int, *, is_wrong: bool = False
    ) -> WatchFinding:
        return WatchFinding(kind, "", partition, count, now_us, now_us, is_wrong, text)

    # -- summing up --------------------------------------------------------------------------------------------------

    def _sum_up(self, topic: TopicNow, context: AuditContext, now_us: int) -> None:
        state = self.state
        allotment = state.allotment()
        splits = list(self._new_splits())
        tasks: list[Any] = [*self._ledger_tasks(splits, allotment, context)]
        tasks += self._log_tasks(topic, allotment, context, now_us)
        sums = self._run(tasks) if tasks else []
        for found in sums:
            state.absorb(found)
        for (side, split), found in zip(splits, sums, strict=False):
            for number in found.entries.keys() - {CLOSED}:
                window = state.window(number)
                assert window is not None, "sums are made for open windows"
                add_split(window.sends if side == SENT else window.delivered, split)

    def _new_splits(self) -> Iterator[tuple[str, TailSplit]]:
        if self._place is None:
            return
        for side, folder in ((SENT, "sends"), (DELIVERED, "polls")):
            for path in self._place.files(folder, ".arrows"):
                if path.endswith(EVENTS_SUFFIX):
                    continue
                splits, self.state.tails[path] = new_splits(self._place, path, self.state.tails.get(path, Tail()))
                yield from ((side, split) for split in splits)

    def _ledger_tasks(
        self, splits: list[tuple[str, TailSplit]], allotment: Allotment, context: AuditContext
    ) -> Iterator[SumLedger]:
        for side, split in splits:
            assert self._place is not None, "splits of ledgers lie in a place"
            yield SumLedger(side, split, self._place, allotment, context)

    def _log_tasks(self, topic: TopicNow, allotment: Allotment, context: AuditContext, now_us: int) -> Iterator[SumLog]:
        state = self.state
        for partition, end in sorted(topic.ends.items()):
            begin = state.offsets[partition]
            end = min(end, begin + self.rules.step_offsets_max)
            if end > begin:
                examination = state.examinations.get(partition) or Examination(0)
                examination.now_ms = now_us // _US_PER_MS
                share = self._log.share(partition, begin, end)
                yield SumLog(share, allotment, context, examination, state.lanes.get(partition, {}))

    def _examined(self, facts: RunFacts, now_us: int) -> Iterator[WatchFinding]:
        """Return what batches say by themselves. Where ledgers account for messages, gaps need no other account."""
        is_compacted = any(
            "compact" in str(c.get("cleanup.policy", "")) for c in (facts.configs_begin, facts.configs_end)
        )
        for partition, examination in sorted(self.state.examinations.items()):
            for oddity, count in sorted(examination.counts.items()):
                self.state.oddities[oddity] += count
                weight = WEIGHTS[oddity]
                is_explained = self._place is not None or (is_compacted and oddity in _LEFT_BY_COMPACTION)
                if weight is Weight.SHOWN or (weight is Weight.UNEXPLAINED and is_explained):
                    continue
                noted = next(one for one in examination.noted if one.oddity is oddity)
                text = f"{noted.text}, at offset {noted.first_offset:,}"
                yield self._noted(str(oddity), partition, count, text, now_us, is_wrong=weight is Weight.WRONG)
            examination.counts, examination.noted = {}, []

    # -- judging -----------------------------------------------------------------------------------------------------

    def _judge(self, facts: RunFacts, now_us: int, *, is_last: bool) -> Iterator[WatchFinding]:
        """Close every window that is older than the horizon, when everything since has been read."""
        state, rules = self.state, self.rules
        if self._place is None:
            state.windows = state.windows[-1:]
            return
        if is_last or now_us - state.windows[-1].begin_us >= rules.horizon_us // WINDOWS_PER_HORIZON:
            state.end_window(now_us, is_last=is_last)
        due = [
            p for p in state.windows if p.has_ended and (is_last or p.end_us + rules.horizon_us <= state.caught_up_us)
        ]
        if not due:
            return
        context = self._context(facts)
        for window in due:
            read = ReadAgain(self._log, self._place, self._run, self._run, state.offsets, self._all_delivered())
            verdicts, findings = finalise_window(state, window, context, read, now_us, strict=rules.strict)
            state.totals.update(verdicts.counts)
            state.allowed.update(verdicts.allowed)
            state.final += verdicts.sent
            state.forget_closed(window)
            yield from findings

    def _all_delivered(self) -> dict[str, TailSplit]:
        found: dict[str, TailSplit] = {}
        for window in self.state.windows:
            for split in window.delivered.values():
                add_split(found, split)
        return found


def foreign_records(state: WatchState) -> int:
    """Count the records of the log that are no message of this run."""
    return sum(entry.attention for entry in state.counts.of_kind(EntryKind.STORED_COUNT).values())


def totals_of(state: WatchState) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the final verdicts, flags and records: all, and allowed."""
    found = {key: (count, state.allowed[key]) for key, count in state.totals.items()}
    foreign = foreign_records(state)
    for group in {group for group, _ in state.totals}:
        found[group, f"*{FOREIGN}"] = (foreign, foreign)
    return found
