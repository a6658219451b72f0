"""How records are printed: kcat's patterns, and JSON."""

import json

import pytest

from chronik.cli.shell.escapes import unescaped
from chronik.cli.topic.record_format import json_line, line_format, record_format
from chronik.model.ids import TopicPartition
from chronik.records.iterate import StoredRecord

AT = TopicPartition("orders", 3)
RECORD = StoredRecord(17, 1763280000000, b"key", b"\xffvalue", (("a", b"1"), ("b", None), ("c", b"")))
NULLS = StoredRecord(18, 5, None, None, ())


@pytest.mark.parametrize(
    ("pattern", "printed"),
    [
        ("%t %p %o %T\\n", b"orders 3 17 1763280000000\n"),
        ("%k=%s (%K/%S)", b"key=\xffvalue (3/6)"),
        ("[%h]", b"[a=1,b=NULL,c=]"),
        ("%R%s\\0", b"\0\0\0\x06\xffvalue\0"),
        ("100%%\\t\\x41\\\\", b"100%\tA\\"),
        ("%%s", b"%s"),
        ("", b""),
        ("ä%o", "ä17".encode()),
    ],
)
def test_pattern_is_filled_in(pattern: str, printed: bytes) -> None:
    assert record_format(pattern)(AT, RECORD) == printed


def test_null_has_size_minus_one_and_prints_as_nothing_or_as_it_is_told_to() -> None:
    assert record_format("%k,%s,%K,%S,%R,%h")(AT, NULLS) == b",,-1,-1,\xff\xff\xff\xff,"
    assert record_format("%k,%s", b"NULL")(AT, NULLS) == b"NULL,NULL"
    assert line_format(b":", b"\n", b"NULL")(AT, NULLS) == b"NULL:NULL\n"
    assert line_format(None, b";")(AT, NULLS) == b";"


@pytest.mark.parametrize("pattern", ["%q", "%", "a%", "\\q", "\\", "\\x4"])
def test_pattern_that_means_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="unknown"):
        record_format(pattern)


def test_escapes_may_make_any_byte() -> None:
    assert unescaped("".join(f"\\x{byte:02x}" for byte in range(256))) == bytes(range(256))
    assert unescaped("a\\nb\\r\\t\\0\\\\n") == b"a\nb\r\t\0\\n"


def test_record_as_json_keeps_null_empty_and_binary_apart() -> None:
    record = StoredRecord(7, 1000, None, b"\xff\x00", (("h", b""), ("n", None)))
    assert json.loads(json_line(TopicPartition("t", 2), record)) == {
        "topic": "t",
        "partition": 2,
        "offset": 7,
        "timestamp_ms": 1000,
        "key": None,
        "value_base64": "/wA=",
        "headers": [{"name": "h", "value": ""}, {"name": "n", "value": None}],
    }
