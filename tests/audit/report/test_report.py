"""The report says the verdict first, with its numbers, the same in every form, and nothing that it should not."""

import io
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from rich.console import Console

from chronik.audit.pipeline import report_results
from chronik.audit.report.document import Report, read_report
from chronik.audit.report.exit_codes import ExitCode
from chronik.audit.report.files import json_text
from chronik.audit.report.html import as_html
from chronik.audit.report.junit import as_junit
from chronik.audit.report.terminal import console_of_output, print_report
from chronik.audit.report.timeline import timeline_of
from chronik.audit.tables.words import duration, ranges, share
from tests.audit.diagnosis import rule_cases
from tests.audit.diagnosis.cases import Case, us
from tests.audit.report.runs import DEFECTS, clean, given_twice, lost_without_a_place, one_broker, slow_watermark


def shown(report: Report, width: int = 150, **options: bool) -> str:
    out = io.StringIO()
    print_report(report, Console(file=out, width=width, highlight=False, **options))
    return out.getvalue()


def test_a_clean_run_is_one_short_sentence_and_exit_code_0(tmp_path: Path) -> None:
    report = clean(tmp_path).report()
    assert report.headline == "90 of 90 delivered."
    assert report.exit_code == ExitCode.NOTHING_DISALLOWED


def test_the_first_sentence_has_numbers_place_and_cause(tmp_path: Path) -> None:
    report = given_twice(tmp_path).report()
    assert report.headline == (
        "89 of 90 delivered; 1 acknowledged but not in the log: partition 1, offset 11; "
        "cause: offsets were assigned twice: partition 1, from 08:00:03.410 on, 1 message."
    )
    assert report.exit_code == ExitCode.DISALLOWED
    assert shown(report).replace("\n", " ").startswith(f"NOT OK  {report.headline[:90]}")


def test_messages_of_no_known_partition_are_counted_in_cause_terminal_and_json(tmp_path: Path) -> None:
    report = lost_without_a_place(tmp_path).report()
    assert report.headline.endswith("partitions 1-2, from 08:00:00.000 on, 60 messages of unknown partition.")
    told = "60 messages have no known partition: no row counts them as sent."
    assert told in shown(report)
    assert told in " ".join(shown(report, 60).split())
    assert json.loads(json_text(report))["of_no_known_partition"] == 60


def test_the_page_says_of_lanes_and_rows_that_messages_of_no_known_partition_are_in_none(tmp_path: Path) -> None:
    page = as_html(lost_without_a_place(tmp_path).report())
    for place in ("lane", "row"):
        assert f"60 messages have no known partition: no {place} counts them as sent." in page


def test_where_every_partition_is_known_nothing_is_said_of_unknown_ones(tmp_path: Path) -> None:
    report = one_broker(tmp_path).report()
    assert "known partition" not in shown(report) + as_html(report)


@pytest.mark.parametrize("make", DEFECTS.values(), ids=DEFECTS.keys())
def test_a_defect_ends_with_exit_code_1(make, tmp_path: Path) -> None:
    assert make(tmp_path).report().exit_code == ExitCode.DISALLOWED


def test_a_watermark_that_fell_is_held_against_the_cluster_though_nobody_was_harmed(tmp_path: Path) -> None:
    case = clean(tmp_path)
    rule_cases.watermark(case, 1, 8.0, 9.0, 5)
    report = case.report()
    assert set(report.results.verdicts["verdict"].to_pylist()) == {"DELIVERED"}
    assert report.exit_code == ExitCode.DISALLOWED


def test_sends_without_an_answer_alone_are_not_held_against_the_cluster(tmp_path: Path) -> None:
    case = clean(tmp_path)
    rule_cases.timed_out(case)
    assert case.report().exit_code == ExitCode.COULD_NOT_TELL


def test_a_run_without_messages_could_not_be_judged(tmp_path: Path) -> None:
    assert Case(tmp_path).report().exit_code == ExitCode.COULD_NOT_TELL


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(width: int, tmp_path: Path) -> None:
    text = shown(slow_watermark(tmp_path).report(), width)
    assert max(map(len, text.splitlines())) <= width
    # The directory of the test, which comes last, may have any number in its name.
    assert "180" not in text.partition("Run:")[0]
    assert "watermark" in text


def test_without_colour_there_is_no_escape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = given_twice(tmp_path).report()
    assert "\x1b[" in shown(report, force_terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    coloured = [
        part for part in shown(report, force_terminal=True).split("\x1b[")[1:] if part[:2] in ("31", "32", "33")
    ]
    assert coloured == []


def test_in_a_pipe_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert console_of_output().width > 100


def test_json_holds_what_was_found_and_how_many(tmp_path: Path) -> None:
    document = json.loads(json_text(given_twice(tmp_path).report()))
    assert (document["sent"], document["delivered"], document["exit_code"]) == (90, 89, 1)
    assert document["findings"][0]["kind"] == "offset-given-twice"
    assert document["messages"]["count"] == len(document["messages"]["first"]) == 1


def test_junit_fails_what_is_not_allowed_with_its_evidence(tmp_path: Path) -> None:
    suite = ElementTree.fromstring(as_junit(given_twice(tmp_path).report()))
    failed = {
        case.get("name"): case.find("failure") for case in suite.iter("testcase") if case.find("failure") is not None
    }
    assert set(failed) == {"no message is ACKED_NOT_IN_LOG", "offset-given-twice"}
    assert "in the same epoch" in str(failed["offset-given-twice"].text)
    assert suite.get("failures") == "2"


def test_junit_of_a_clean_run_has_no_failure(tmp_path: Path) -> None:
    suite = ElementTree.fromstring(as_junit(clean(tmp_path).report()))
    assert list(suite.iter("failure")) == []


def test_junit_survives_what_xml_cannot_hold(tmp_path: Path) -> None:
    case = clean(tmp_path)
    rule_cases.refuse(case, 31, error="bad \x00\x1b <byte> & 'quote'")
    ElementTree.fromstring(as_junit(case.report()))


def test_the_page_has_no_outside_assets_and_no_way_for_a_label_to_become_code(tmp_path: Path) -> None:
    case = clean(tmp_path)
    case.settings["label"] = "</script><script>alert(1)</script>"
    rule_cases.refuse(case, 31, error="</script><img src=x onerror=alert(1)>")
    page = as_html(case.report())
    assert "<img" not in page
    assert "<script>alert" not in page
    for mark in ('src="', "url(", "@import", "<link"):
        assert mark not in page
    assert "default-src 'none'" in page


def cells(page: str, table: str) -> list[dict[str, str]]:
    """Give the rows of one of the page's tables."""
    text = page.split(f'<table id="{table}">')[1].split("</table>")[0]
    root = ElementTree.fromstring(f"<table>{text}</table>")
    heads = [head.text or "" for head in root.iter("th")]
    return [dict(zip(heads, (cell.text or "" for cell in row), strict=True)) for row in root.find("tbody") or ()]


def test_the_only_group_and_the_run_are_told_once_and_not_in_every_row(tmp_path: Path) -> None:
    page = as_html(given_twice(tmp_path).report())
    partitions, messages = cells(page, "partitions"), cells(page, "messages")
    assert "group" not in partitions[0] | messages[0]
    assert messages[0]["message"] == "p0-34"
    assert [*messages[0]][:3] == ["message", "verdict", "why"]
    assert '<p class="soft">For group readers.</p>' in page
    assert f'<p class="soft">Of run {7:016x}, group readers.</p>' in page


def test_of_several_groups_every_row_names_its_own(tmp_path: Path) -> None:
    case = given_twice(tmp_path)
    results, _ = case.write()
    twice = {}
    for name in ("verdicts", "messages", "partitions"):
        own = getattr(results, name)
        place = own.schema.get_field_index("group")
        other = own.set_column(place, own.schema.field(place), pa.array(["others"] * own.num_rows))
        twice[name] = pa.concat_tables([own, other])
    page = as_html(report_results(tmp_path, replace(results, **twice)))
    assert [row["group"] for row in cells(page, "partitions")] == ["readers"] * 3 + ["others"] * 3
    assert [row["group"] for row in cells(page, "messages")] == ["readers", "others"]


def test_no_cell_of_a_table_is_empty(tmp_path: Path) -> None:
    page = as_html(slow_watermark(tmp_path).report())
    partitions = cells(page, "partitions")
    assert [row["gaps"] for row in partitions] == ["0", "0", "0"]
    assert [row["stalls"].replace("\xa0", " ") for row in partitions] == ["0", "10.4 s from 08:00:03.600", "0"]
    assert all(value for row in (*partitions, *cells(page, "messages")) for value in row.values())


def test_gaps_that_are_not_listed_are_counted(tmp_path: Path) -> None:
    case = clean(tmp_path)
    results, _ = case.write()
    rows = results.partitions.to_pylist()
    rows[1]["gaps"] = [{"first_offset": at, "end_offset": at + 1, "text": "compaction"} for at in range(0, 14, 2)]
    changed = replace(results, partitions=pa.Table.from_pylist(rows, results.partitions.schema))
    told = cells(as_html(report_results(tmp_path, changed)), "partitions")[1]["gaps"]
    assert told.startswith("0-0 compaction; 2-2 compaction")
    assert told.endswith("; and 2 more")


def test_secrets_are_never_told(tmp_path: Path) -> None:
    case = clean(tmp_path)
    case.settings["sasl_password"] = "hunter2"
    report = case.report()
    assert "hunter2" not in json_text(report) + as_html(report)


def test_a_redacted_report_quotes_nothing(tmp_path: Path) -> None:
    case = clean(tmp_path)
    case.event("error", 5.0, partition=1, text="CorruptRecordError: crc of b'card 4711' key \"anna\"")
    rule_cases.withhold(case, 1, 12)
    plain, redacted = case.report(), read_report(tmp_path, is_redacted=True)
    assert "card 4711" in json_text(plain)
    for text in (json_text(redacted), as_html(redacted), as_junit(redacted), shown(redacted)):
        assert "4711" not in text
        assert "anna" not in text


def test_lanes_end_with_the_counts_of_the_tables(tmp_path: Path) -> None:
    timeline = timeline_of(given_twice(tmp_path).report())
    ends = {lane.partition: (lane.sent[-1], lane.stored[-1], lane.delivered[-1]) for lane in timeline.lanes}
    assert ends == {0: (30, 30, 30), 1: (30, 30, 29), 2: (30, 30, 30)}
    assert timeline.at_s[-1] >= 30.0


@pytest.mark.parametrize("is_told", [True, False])
def test_lanes_end_with_the_run_though_replicas_are_looked_at_for_longer(tmp_path: Path, is_told: bool) -> None:
    case = clean(tmp_path)
    case.look(90.0, 1, 30, 30)
    case.report()
    if not is_told:
        raw = json.loads((tmp_path / "run.json").read_text())
        bare = {name: value for name, value in raw.items() if name not in ("begin_us", "end_us")}
        (tmp_path / "run.json").write_text(json.dumps(bare))
    timeline = timeline_of(read_report(tmp_path))
    assert timeline.begin_us == us(0)
    assert 30.0 <= timeline.at_s[-1] <= 31.0
    assert [lane.delivered[-1] for lane in timeline.lanes] == [30, 30, 30]


def test_a_lane_shows_the_watermark_that_stands(tmp_path: Path) -> None:
    timeline = timeline_of(slow_watermark(tmp_path).report())
    lane = timeline.lanes[1]
    at_ten = next(place for place, at_s in enumerate(timeline.at_s) if at_s >= 10.0)
    assert (lane.stored[at_ten], lane.watermark[at_ten], lane.delivered[at_ten]) == (30, 12, 12)


def test_latency_over_time_is_within_the_width_of_a_bin(tmp_path: Path) -> None:
    case = clean(tmp_path)
    for row in case.rows["delivered"]:
        row["sent_us"] = row["received_us"] - 50_000
    known = [value for value in timeline_of(case.report()).latency_p50_ms if value is not None]
    assert known
    assert all(45 < value < 55 for value in known)


def test_what_is_not_all_never_reads_as_all() -> None:
    assert share(99_999, 100_000) == "> 99.9 %"
    assert share(1, 100_000) == "< 0.1 %"
    assert share(100, 100) == "100.0 %"


def test_ranges_and_durations_read_as_people_write_them() -> None:
    assert ranges([5, 1, 2, 3, 1000]) == "1-3, 5, 1,000"
    assert ranges(range(0, 40, 2), 2) == "0, 2 and 18 ranges more"
    assert [duration(value) for value in (900, 1_500, 2_500_000, 600_000_000)] == [
        "900 µs",
        "1.5 ms",
        "2.5 s",
        "10 min",
    ]


def test_the_onset_is_marked_in_the_lane_that_it_concerns(tmp_path: Path) -> None:
    page = as_html(one_broker(tmp_path).report())
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    marked = {lane["partition"]: [onset["text"] for onset in lane["onsets"]] for lane in data["lanes"]}
    assert marked == {0: [], 1: ["too-few-brokers"], 2: []}
    assert data["begin_ms"] == us(-0.5) // 1000


def test_an_onset_before_the_first_send_is_on_the_axis(tmp_path: Path) -> None:
    case = one_broker(tmp_path)
    case.report()
    raw = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps(raw | {"phases": {"sending": us(4)}}))
    page = as_html(read_report(tmp_path))
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert [onset["at"] > data["at_s"][0] for onset in data["lanes"][1]["onsets"]] == [True]
