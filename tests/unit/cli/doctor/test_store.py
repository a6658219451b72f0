"""What the doctor thinks of the metadata store and of the HTTP server's address."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chronik.cli.doctor.checks import DoctorFinding as Finding
from chronik.cli.doctor.checks import DoctorVerdict as Verdict
from chronik.cli.doctor.checks import check_http, check_store
from chronik.cli.doctor.observations import (
    FileStoreFacts,
    HttpPortFacts,
    MemberFacts,
    observe_file,
    observe_http,
    observe_store,
)

FILE = FileStoreFacts("/data/metadata.db", "ext4", is_there=True, problem=None)
WELL = MemberFacts("a:2379", None, 3.0)
ILL = MemberFacts("b:2379", "no answer")
HTTP = HttpPortFacts("127.0.0.1:9644")


def assert_says(finding: Finding, verdict: Verdict) -> None:
    assert finding.verdict is verdict, finding
    assert verdict is Verdict.FINE or finding.advice, finding


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, Verdict.FINE),
        ({"is_there": False}, Verdict.FINE),
        ({"problem": "file is not a database"}, Verdict.WRONG),
        ({"filesystem": "nfs4"}, Verdict.WRONG),
        ({"filesystem": None}, Verdict.FINE),
    ],
)
def test_a_file_must_be_readable_and_lie_on_a_disk_of_this_machine(changed: dict[str, Any], verdict: Verdict) -> None:
    assert_says(check_store(replace(FILE, **changed)), verdict)


@pytest.mark.parametrize(
    ("members", "verdict"),
    [
        ([WELL], Verdict.FINE),
        ([WELL, WELL, WELL], Verdict.FINE),
        ([WELL, WELL, ILL], Verdict.HINT),
        ([WELL, ILL], Verdict.WRONG),
        ([WELL, ILL, ILL], Verdict.WRONG),
        ([ILL], Verdict.WRONG),
        ([replace(WELL, answered_ms=900.0)], Verdict.HINT),
    ],
)
def test_more_than_half_of_etcds_members_must_be_well(members: list[MemberFacts], verdict: Verdict) -> None:
    finding = check_store(members)
    assert_says(finding, verdict)
    assert ILL not in members or "b:2379: no answer" in finding.what


def test_a_store_in_memory_is_for_a_trial() -> None:
    assert_says(check_store(None), Verdict.HINT)


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        (None, Verdict.HINT),
        (HTTP, Verdict.FINE),
        (HttpPortFacts("127.0.0.1:0", "whatever"), Verdict.FINE),
        (replace(HTTP, bind_error="address already in use", is_taken=True, node_id=2), Verdict.FINE),
        (replace(HTTP, bind_error="address already in use", is_taken=True, holder="nginx (7)"), Verdict.WRONG),
        (replace(HTTP, bind_error="permission denied"), Verdict.WRONG),
    ],
)
def test_the_http_port_is_free_a_brokers_or_in_the_way(facts: HttpPortFacts | None, verdict: Verdict) -> None:
    assert_says(check_http(facts), verdict)


def test_a_file_is_looked_at_and_left_alone(tmp_path: Path) -> None:
    absent = observe_file(str(tmp_path / "later" / "metadata.db"))
    assert (absent.is_there, absent.problem) == (False, None)
    assert list(tmp_path.iterdir()) == []
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"not a database, whatever its name says" * 100)
    assert "not a database" in (observe_file(str(broken)).problem or "")
    with sqlite3.connect(whole := tmp_path / "whole.db") as file:
        file.execute("CREATE TABLE t (a)")
    assert observe_file(str(whole)).problem is None
    beneath = observe_file(str(whole / "metadata.db"))
    assert "is no directory" in (beneath.problem or "")


def test_members_that_nobody_answers_for_have_a_problem() -> None:
    facts = asyncio.run(observe_store("etcd://127.0.0.1:1"))
    assert isinstance(facts, list)
    assert [member.where for member in facts] == ["127.0.0.1:1"]
    assert facts[0].problem


def test_no_http_side_is_nothing_to_observe() -> None:
    assert asyncio.run(observe_http(None)) is None
