"""From lines and JSON to records."""

import pytest

from chronik.cli.topic.record_format import json_line
from chronik.cli.topic.record_input import JsonFormat, LineFormat, OutgoingRecord
from chronik.model.ids import TopicPartition
from chronik.records.iterate import StoredRecord


def test_line_is_split_at_the_first_separator_only_where_there_is_one() -> None:
    form = LineFormat(b":", b"NULL")
    assert form.parse(b"k:v:w") == (b"k", b"v:w")
    assert form.parse(b"no separator") == (None, b"no separator")
    assert form.parse(b"k:NULL") == (b"k", None)
    assert LineFormat(None, None).parse(b"k:v") == (None, b"k:v")


def test_empty_is_null_only_where_that_was_asked_for() -> None:
    assert LineFormat(b":").parse(b":") == (b"", b"")
    assert LineFormat(b":", empty_is_null=True).parse(b":") == (None, None)
    assert LineFormat(empty_is_null=True).parse(b"") == (None, None)


def test_fixed_key_is_for_lines_without_one() -> None:
    form = LineFormat(b":", key=b"fixed")
    assert form.parse(b"own:v") == (b"own", b"v")
    assert form.parse(b"v") == (b"fixed", b"v")
    assert JsonFormat(form).record(b'{"value": "v"}').key == b"fixed"


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (b'{"key": "k", "value": "v"}', OutgoingRecord(b"k", b"v")),
        (b'{"key": null, "value": null}', OutgoingRecord(None, None)),
        (b"{}", OutgoingRecord(None, None)),
        (b'{"value": ""}', OutgoingRecord(None, b"")),
        (b'{"value": {"a": [1, 2.5, "\xc3\xa4"]}}', OutgoingRecord(None, b'{"a":[1,2.5,"\xc3\xa4"]}')),
        (b'{"key": 7, "value": false}', OutgoingRecord(b"7", b"false")),
        (b'{"key_base64": "/w==", "value_base64": ""}', OutgoingRecord(b"\xff", b"")),
        (b'{"headers": {"a": "1", "b": null}}', OutgoingRecord(None, None, (("a", b"1"), ("b", None)))),
        (
            b'{"headers": [{"name": "a", "value": "1"}, {"name": "a", "value_base64": "/w=="}]}',
            OutgoingRecord(None, None, (("a", b"1"), ("a", b"\xff"))),
        ),
        (b'{"partition": 2, "timestamp": 5}', OutgoingRecord(None, None, (), 2, 5)),
        (b'{"timestamp": "2026-11-16T08:30:00Z"}', OutgoingRecord(None, None, (), None, 1794817800000)),
    ],
)
def test_json_object_is_a_record(line: bytes, record: OutgoingRecord) -> None:
    assert JsonFormat().record(line) == record


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"oops", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"valeu": 1}', "unknown field 'valeu' .did you mean 'value'"),
        (b'{"value_base64": "?"}', "value_base64 is not base64"),
        (b'{"value_base64": 1}', "value_base64 is not base64"),
        (b'{"partition": -1}', "partition -1"),
        (b'{"partition": true}', "partition True"),
        (b'{"partition": "0"}', "partition '0'"),
        (b'{"timestamp": "soon"}', "timestamp 'soon'"),
        (b'{"headers": ["a"]}', "headers are"),
        (b'{"value": "\\ud800"}', "surrogates"),
    ],
)
def test_json_that_is_no_record_is_refused_with_the_reason(line: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        JsonFormat().record(line)


def test_what_is_printed_as_json_can_be_sent_again() -> None:
    stored = StoredRecord(7, 1000, b"\xfe", b"v", (("h", b""), ("n", None), ("b", b"\xff")))
    again = JsonFormat().record(json_line(TopicPartition("t", 2), stored).encode())
    assert again == OutgoingRecord(stored.key, stored.value, stored.headers, 2, 1000)
