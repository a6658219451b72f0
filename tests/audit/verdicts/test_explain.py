"""One message's story, step by step."""

import json
from pathlib import Path

import pytest

from chronik.audit.judge.engine import audit
from chronik.audit.report.explain import explain, known_ids
from chronik.audit.tables.ids import AuditId
from chronik.cli.main import run
from tests.audit.verdicts.faults import FAULTS
from tests.audit.verdicts.synthetic import RUN, SyntheticRun, name_of


def texts(directory: Path, producer: int, sequence: int) -> list[str]:
    return [step.text for step in explain(directory, AuditId(RUN, producer, sequence)).steps]


def test_a_story_goes_from_the_send_to_the_delivery(tmp_path: Path) -> None:
    made = SyntheticRun()
    sent = made.row_of("sends", 1, 4)
    partition, offset = sent["partition"], sent["offset"]
    made.observe(sent["sent_us"] + 300, partition, watermark=offset, log_end=offset + 1)
    made.observe(sent["sent_us"] + 600, partition, watermark=offset + 1, log_end=offset + 1)
    assert texts(made.write(tmp_path), 1, 4) == [
        "producer 1 gave it to its client",
        f"acknowledged at offset {offset} of partition {partition}",
        f"broker 1 holds partition {partition} past offset {offset} by now",
        f"the watermark of partition {partition} is past offset {offset} by now",
        f"consumer 0 of group readers was given offset {offset} of partition {partition} by poll 0",
        f"read back at offset {offset} of partition {partition}, leader epoch 0, from the leader as clients see it",
    ]


def test_a_story_ends_with_the_verdict_and_why(tmp_path: Path) -> None:
    made = SyntheticRun()
    next(fault for fault in FAULTS if fault.name == "lost").inject(made, 1, 4)
    directory = made.write(tmp_path)
    audit(directory).save(directory)
    verdicts = explain(directory, AuditId(RUN, 1, 4)).verdicts
    assert [(row["group"], row["verdict"], row["is_allowed"]) for row in verdicts] == [
        ("readers", "ACKED_NOT_IN_LOG", False)
    ]
    assert "and not in the log" in verdicts[0]["why"]


def test_what_stands_where_a_lost_message_was_acknowledged_is_told(tmp_path: Path) -> None:
    made = SyntheticRun()
    sent, other = made.row_of("sends", 1, 4), made.row_of("sends", 0, 0)
    place = f"at offset {sent['offset']} of partition {sent['partition']}, where it was acknowledged, stands"
    row = made.row_of("stored", 1, 4)
    row.update(producer=other["producer"], sequence=other["sequence"])
    assert f"{place} message p0-0 of leader epoch 0" in texts(made.write(tmp_path / "twice"), 1, 4)
    made.stored.remove(row)
    assert f"{place} nothing that could be read" in texts(made.write(tmp_path / "lost"), 1, 4)


def test_what_was_reserved_and_has_no_row_is_said_so(tmp_path: Path) -> None:
    made = SyntheticRun()
    next(fault for fault in FAULTS if fault.name == "without a row").inject(made, 1, 4)
    assert texts(made.write(tmp_path), 1, 4) == ["its sequence was reserved; no ledger says what became of it"]


def test_the_trace_tells_who_appended_and_when_the_watermark_passed(tmp_path: Path) -> None:
    made = SyntheticRun()
    sent = made.row_of("sends", 1, 4)
    partition, offset = sent["partition"], sent["offset"]
    directory = made.write(tmp_path)
    (directory / "trace").mkdir()
    shared = {"topic": "audited", "partition": partition, "node": 2, "client_id": "c", "correlation_id": 1}
    appended = {**shared, "event": "produce_appended", "first_offset": 0, "last_offset": offset}
    advanced = {**shared, "event": "watermark_advanced", "from_offset": 0, "to_offset": offset + 1, "by": 1}
    lines = [{**appended, "at_us": sent["sent_us"] + 10}, {**advanced, "at_us": sent["sent_us"] + 20}]
    (directory / "trace" / "2.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert texts(directory, 1, 4)[1:3] == [
        f"broker 2 appended offsets 0 to {offset}",
        f"broker 2 moved the watermark to {offset + 1}, past it",
    ]


def test_the_command_takes_short_ids_and_refuses_those_of_other_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = str(SyntheticRun().write(tmp_path))
    assert run(["audit", "explain", directory, "p1-4"]) == 0
    assert name_of(1, 4) in capsys.readouterr().out
    assert run(["audit", "explain", directory, str(AuditId(RUN + 1, 1, 4))]) == 3
    assert "another run" in capsys.readouterr().err


def test_an_id_that_the_run_does_not_have_is_refused_with_those_that_it_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = SyntheticRun()
    directory = made.write(tmp_path)
    audit(directory).save(directory)
    last = max(row["sequence"] for row in made.sends if row["producer"] == 1)
    for message in (f"p1-{last + 1}", "p9-99"):
        assert run(["audit", "explain", str(directory), message]) == 3
        told = capsys.readouterr()
        assert told.out == ""
        assert f"no message {message}" in told.err
        assert f"p1-0 to p1-{last}" in told.err
    assert run(["audit", "explain", str(directory), f"p1-{2**64}"]) == 3
    assert "is not an id" in capsys.readouterr().err


def test_the_ids_that_a_run_has_are_told_also_without_what_was_reserved(tmp_path: Path) -> None:
    made = SyntheticRun()
    directory = made.write(tmp_path)
    told = known_ids(directory)
    assert told[1] == (0, max(row["sequence"] for row in made.sends if row["producer"] == 1))
    for path in (directory / "sends").glob("*.reserved"):
        path.unlink()
    assert known_ids(directory) == told


def test_a_message_of_which_only_the_reservation_is_known_could_not_be_told(tmp_path: Path) -> None:
    made = SyntheticRun()
    next(fault for fault in FAULTS if fault.name == "without a row").inject(made, 1, 4)
    assert run(["audit", "explain", str(made.write(tmp_path)), "p1-4"]) == 2
