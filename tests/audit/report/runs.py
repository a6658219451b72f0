"""Runs with a report: a clean one, and three that went wrong in different places."""

from pathlib import Path

from chronik.audit.tables.schemas import SendOutcome
from tests.audit.diagnosis import rule_cases
from tests.audit.diagnosis.cases import Case, us


def clean(directory: Path) -> Case:
    return Case(directory).flow()


def given_twice(directory: Path) -> Case:
    case = clean(directory)
    rule_cases.same_offset_acknowledged(case)
    return case


def slow_watermark(directory: Path) -> Case:
    case = clean(directory)
    for row in case.rows["delivered"]:
        if row["partition"] == 1 and row["offset"] >= 12:
            row["received_us"] = us(14 + row["offset"] * 0.1)
            case.judge(row["sequence"], "DELIVERED", 1, row["offset"], "LATE")
    rule_cases.watermark(case, 1, 3.6, 13.8, 12)
    case.stall(1, 3.6, 14.0)
    return case


def one_broker(directory: Path) -> Case:
    case = clean(directory)
    rule_cases.one_broker_listed(case)
    return case


def lost_without_a_place(directory: Path) -> Case:
    """What a client never learned a partition for, before it gave up."""
    case = clean(directory)
    rule_cases.list_brokers(case, 1)
    case.tap(2.0, "Metadata", "answer", 101, partition=2, leader=3)
    rule_cases.refuse(case, *range(30, 90), outcome=SendOutcome.UNKNOWN)
    for row in case.rows["sends"][-60:]:
        row["partition"] = -1
    for row in case.judged:
        row |= {"partition": -1, "acked_partition": -1, "offset": -1, "acked_offset": -1}
    return case


DEFECTS = {
    "given-twice": given_twice,
    "slow-watermark": slow_watermark,
    "one-broker": one_broker,
    "without-a-place": lost_without_a_place,
}
