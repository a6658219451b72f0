"""Every rule applies where it should, is silent where it should, and never says more than it knows."""

from pathlib import Path

import pytest

from chronik.audit.diagnose.rules import RULES
from tests.audit.diagnosis import rule_cases
from tests.audit.diagnosis.cases import Case, us
from tests.audit.diagnosis.rule_cases import NEGATIVE, POSITIVE, Change

_FLAG_RULES = {rule.name for rule in RULES} - set(NEGATIVE)


def pairs(table: dict[str, tuple[Change, ...]]) -> list[tuple[str, Change]]:
    return [(name, change) for name, changes in table.items() for change in changes]


def made(directory: Path, change: Change) -> Case:
    case = Case(directory).flow()
    change(case)
    return case


def test_every_rule_has_a_run_to_which_it_applies() -> None:
    assert set(POSITIVE) == {rule.name for rule in RULES}


def test_rules_without_a_lookalike_are_those_that_repeat_a_verdict() -> None:
    """Their negative case is every run that lacks the verdict: the clean one."""
    repeated = {"+DUPLICATED", "SKIPPED", "*PHANTOM"}
    for rule in RULES:
        if rule.name in _FLAG_RULES:
            assert rule.query.__name__ in ("query", "removed") or set(rule.explains) & repeated


@pytest.mark.parametrize(("name", "change"), pairs(POSITIVE))
def test_the_rule_names_the_root(name: str, change: Change, tmp_path: Path) -> None:
    findings = made(tmp_path, change).findings()
    assert [row["kind"] for row in findings if row["is_root"]] == [name], [row["sentence"] for row in findings]


@pytest.mark.parametrize(("name", "change"), pairs(NEGATIVE))
def test_the_rule_is_silent_on_its_lookalike(name: str, change: Change, tmp_path: Path) -> None:
    findings = made(tmp_path, change).findings()
    assert name not in {row["kind"] for row in findings}, [row["sentence"] for row in findings]


def test_a_clean_run_has_no_finding(tmp_path: Path) -> None:
    assert Case(tmp_path).flow().findings() == []


@pytest.mark.parametrize(("name", "change"), pairs(POSITIVE))
def test_a_finding_says_where_since_when_why_and_what_to_do(name: str, change: Change, tmp_path: Path) -> None:
    root = made(tmp_path, change).findings()[0]
    assert root["evidence"]
    assert root["remedy"]
    assert name == "phantoms" or root["since_us"] >= us(0)
    assert root["partition"] in (-1, 0, 1, 2)
    assert [one["partition"] for one in root["onsets"]] == sorted({one["partition"] for one in root["onsets"]})


def test_the_onset_of_a_standing_watermark_is_when_it_stopped(tmp_path: Path) -> None:
    root = made(tmp_path, rule_cases.held_by_a_follower).findings()[0]
    assert (root["partition"], root["since_us"]) == (1, us(3.8))
    assert "broker 3, in sync, held no more than 12" in root["evidence"]


def test_of_several_replicas_below_the_watermark_the_one_that_lacks_most_is_named(tmp_path: Path) -> None:
    case = made(tmp_path, rule_cases.above_a_paused_follower)
    for row in case.rows["observed"]:
        if row["partition"] == 1 and row["node"] == 2 and row["at_us"] < us(3.4):
            row["log_end"] = max(row["log_end"] - 1, 0)
    root = case.findings()[0]
    assert root["kind"] == "watermark-above-in-sync-end"
    assert "broker 3, in sync, held 12" in root["evidence"][0]
    assert root["since_us"] < us(3.4), "it began with the first that was passed"


def test_consequences_follow_from_the_root_and_others_stand_for_themselves(tmp_path: Path) -> None:
    case = made(tmp_path, rule_cases.fallen)
    rule_cases.same_offset_acknowledged(case)
    rule_cases.stalled(case, 0)
    findings = {row["kind"]: row for row in case.findings()}
    assert findings["offset-given-twice"]["is_root"]
    assert findings["watermark-moved-back"]["sentence"].endswith("; follows from offset-given-twice")
    assert findings["one-partition-stalls"]["sentence"].endswith("; a finding of its own")


def test_what_is_allowed_is_no_root_where_something_is_not(tmp_path: Path) -> None:
    case = made(tmp_path, rule_cases.held_by_a_follower)
    case.judge(1, "DELIVERED", 1, 0, "DUPLICATED", is_allowed=True)
    findings = {row["kind"]: row for row in case.findings()}
    assert findings["written-twice"]["is_allowed"]
    assert [kind for kind, row in findings.items() if row["is_root"]] == ["watermark-stands-still"]


def test_what_the_evidence_does_not_tell_apart_is_named_with_what_to_record(tmp_path: Path) -> None:
    root = made(tmp_path, rule_cases.absent_without_epochs).findings()[0]
    assert set(root["remaining"]) == {
        "offset-given-twice",
        "acked-lost-in-change-of-leader",
        "acked-never-written",
    }
    assert "epoch history" in root["needs"]


def test_duplicates_without_a_tap_are_allowed_and_leave_two_causes(tmp_path: Path) -> None:
    case = made(tmp_path, rule_cases.repeated_by_the_broker)
    case.rows["tap"] = []
    (root,) = case.findings()
    assert root["is_allowed"]
    assert len(root["remaining"]) == 2
    assert root["needs"] == "a tap without gaps"


def test_a_batch_that_the_client_sent_again_is_no_fault_of_the_broker(tmp_path: Path) -> None:
    case = made(tmp_path, rule_cases.repeated_by_the_broker)
    case.tap(8.0, "Produce", "request", 9, partition=1, told={"acks": 1, "crc": 2})
    case.tap(8.1, "Produce", "answer", 9, partition=1)
    (root,) = case.findings()
    assert root["is_allowed"]
    assert root["remaining"] == []


def test_a_verdict_that_no_rule_explains_is_said_to_be_unexplained(tmp_path: Path) -> None:
    case = Case(tmp_path).flow()
    rule_cases.withhold(case, 1, 12)
    (root,) = case.findings()
    assert root["kind"] == "unexplained"
    assert "fetch-not-answered" in root["remaining"]
    assert "a tap (--tap)" in root["needs"]


def test_an_acknowledgement_next_to_a_change_of_leader_is_not_decided_by_guess(tmp_path: Path) -> None:
    case = made(tmp_path, rule_cases.lost_with_the_leader)
    for row in case.rows["observed"]:
        if row["partition"] == 1 and row["at_us"] > us(3.0):
            row |= {"leader": 2, "leader_epoch": 1}
    (root,) = case.findings()
    assert root["kind"] == "acked-and-absent"
