"""The three-phase plan: is it only slow, is it one partition, is it the fetches; and what to do next.

| phase | asks | PASS | PARTIAL | FAIL |
|---|---|---|---|---|
| 1 settings | does a longer time-out with larger polls help? | everything delivered | more than the baseline | not |
| 2 partitions | what was delivered of what was sent, per partition? | all of each | all of some | all of none |
| 3 fetches | how soon are fetches answered that find data on arrival? | all within 100 ms | most | fewer |
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from chronik.audit.diagnose.run_evidence import RunEvidence
from chronik.audit.diagnose.tap import TapExchange, fetches
from chronik.audit.report.document import Report

PROMPT_US: Final = 100_000
MOST: Final = 0.9
LONGER: Final = 3.0
"""By how much the second run of the first phase has a longer time-out and larger polls."""


class Grade(StrEnum):
    """How a phase came out."""

    PASS = "PASS"
    PARTIAL = "PARTIAL"
    FAIL = "FAIL"
    UNTOLD = "COULD NOT TELL"


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """One phase, how it came out, and why."""

    number: int
    question: str
    grade: Grade
    lines: tuple[str, ...]


def settings_phase(sent: int, baseline: int, longer: int) -> PhaseResult:
    """Compare what was delivered with the baseline's settings and with longer ones."""
    question = "does a longer time-out with larger polls help?"
    line = f"{_share(baseline, sent)} delivered with the given settings, {_share(longer, sent)} with longer ones"
    if not sent:
        return PhaseResult(1, question, Grade.UNTOLD, ("nothing was sent",))
    if longer >= sent:
        return PhaseResult(1, question, Grade.PASS, (line,))
    return PhaseResult(1, question, Grade.PARTIAL if longer > baseline else Grade.FAIL, (line,))


def partitions_phase(rows: Iterable[Mapping[str, Any]]) -> PhaseResult:
    """Compare what was delivered of each partition with what was sent to it; ``rows`` are PARTITIONS of one group."""
    question = "what was delivered of what was sent, per partition?"
    used = [row for row in rows if row["partition"] >= 0 and row["sent"] > 0]
    if not used:
        return PhaseResult(2, question, Grade.UNTOLD, ("no partition was written to",))
    whole = [row for row in used if row["delivered"] >= row["sent"]]
    lines = tuple(f"partition {row['partition']}: {_share(row['delivered'], row['sent'])}" for row in used)
    if len(whole) == len(used):
        return PhaseResult(2, question, Grade.PASS, lines)
    return PhaseResult(2, question, Grade.PARTIAL if whole else Grade.FAIL, lines)


@dataclass(frozen=True, slots=True)
class Answered:
    """A fetch that found data on arrival; ``lasted_us`` is -1 where it was never answered."""

    partition: int
    lasted_us: int


def answered_fetches(exchanges: Sequence[TapExchange]) -> list[Answered]:
    """Choose the fetches that found data on arrival: a watermark above their offset was served before."""
    served: dict[int, int] = {}
    found = []
    moments = [(one.sent_us, 1, one) for one in exchanges]
    moments += [(one.answer_us, 0, one) for one in exchanges if one.answer_us >= 0]
    for at_us, is_request, one in sorted(moments, key=lambda moment: moment[:2]):
        if not is_request:
            served[one.partition] = max(served.get(one.partition, -1), one.high_watermark)
        elif 0 <= one.offset < served.get(one.partition, -1):
            found.append(Answered(one.partition, one.answer_us - at_us if one.answer_us >= 0 else -1))
    return found


def fetches_of(report: Report) -> list[Answered] | None:
    """Read the fetches of a run from its tap; None where there was none."""
    facts = RunEvidence(report, report.evidence)
    return answered_fetches(fetches(facts)) if facts.run.seen.has_tap else None


def fetches_phase(found: Sequence[Answered] | None) -> PhaseResult:
    """Look at how long fetches took that had data when they came: an idle long poll shows nothing."""
    question = "how soon are fetches answered that find data on arrival?"
    if found is None:
        return PhaseResult(3, question, Grade.UNTOLD, ("neither a tap nor a trace was recorded",))
    if not found:
        return PhaseResult(3, question, Grade.UNTOLD, ("no fetch found data on arrival",))
    prompt = [one for one in found if 0 <= one.lasted_us < PROMPT_US]
    never = sum(one.lasted_us < 0 for one in found)
    slowest = max((one.lasted_us for one in found), default=-1)
    lines = [
        f"{len(prompt):,} of {len(found):,} within {PROMPT_US // 1000} ms, the slowest after {slowest / 1e6:.3f} s"
    ]
    lines += [f"{never:,} never answered"] if never else []
    if len(prompt) == len(found):
        return PhaseResult(3, question, Grade.PASS, tuple(lines))
    is_most = not never and len(prompt) >= MOST * len(found)
    return PhaseResult(3, question, Grade.PARTIAL if is_most else Grade.FAIL, tuple(lines))


_G = Grade
_NEXT: Final[tuple[tuple[tuple[Grade | None, Grade | None, Grade | None], str], ...]] = (
    (
        (_G.PASS, _G.PASS, _G.PASS),
        "Nothing is missing and nothing is slow. If time-outs are seen elsewhere, compare those settings: "
        "chronik audit matrix.",
    ),
    (
        (_G.PASS, _G.PASS, None),
        "With these settings everything arrives, but fetches are slow: look at the brokers' load and at the network, "
        "with chronik audit run --trace.",
    ),
    (
        (_G.PASS, None, None),
        "Only slow: raise the consumer's time-out and max.poll.records, or find out what is slow with "
        "chronik audit run --trace.",
    ),
    (
        (None, _G.PARTIAL, _G.FAIL),
        "One or some partitions stall and their fetches hang: look at the leaders of these partitions, with "
        "chronik audit run --tap --trace and its finding.",
    ),
    (
        (None, _G.PARTIAL, None),
        "One or some partitions stall though fetches are answered: look at their watermark and replicas in the "
        "report's lanes.",
    ),
    (
        (None, _G.FAIL, _G.FAIL),
        "All partitions stall and fetches hang: look for what they share, the brokers' event loop or the network.",
    ),
    (
        (None, _G.FAIL, None),
        "All partitions stall though fetches are answered: look at the watermarks, and at whether sends were "
        "acknowledged and stored at all.",
    ),
    (
        (None, None, None),
        "What is missing was not acknowledged, or not stored: the report's cause says which.",
    ),
)
"""The decision tree: the first row that fits; None fits everything."""


def next_step(first: PhaseResult, second: PhaseResult, third: PhaseResult) -> str:
    """Return what to do next."""
    grades = (first.grade, second.grade, third.grade)
    return next(
        step for wanted, step in _NEXT if all(want in (None, grade) for want, grade in zip(wanted, grades, strict=True))
    )


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / max(whole, 1):.1%})"
