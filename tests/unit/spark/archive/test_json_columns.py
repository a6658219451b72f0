"""JSON values become columns; whatever does not parse has a reason beside it."""

import random

import pyarrow as pa
import pytest

from chronik.spark.archive.json_columns import decode, decoded_fields, parsed_columns

COLUMNS = parsed_columns("id:long, total=amount:double, name:string, ok:boolean, at:timestamp", ["key", "value"])


def decoded(*values: bytes | None) -> list[dict[str, object]]:
    arrays = decode(pa.array(values, pa.binary()), COLUMNS)
    return pa.table(arrays, schema=pa.schema(decoded_fields(COLUMNS))).to_pylist()


def test_fields_become_columns_of_their_types() -> None:
    row = decoded(b'{"id": 7, "amount": 1.5, "name": "x", "ok": true, "at": "2026-01-31T10:00:00Z", "more": [1]}')[0]
    assert (row["id"], row["total"], row["name"], row["ok"], str(row["at"])) == (
        7, 1.5, "x", True, "2026-01-31 10:00:00+00:00",
    )  # fmt: skip
    assert row["json_error"] is None


def test_missing_fields_and_nulls_are_null_without_an_error() -> None:
    assert decoded(b"{}", b'{"id": null}') == [dict.fromkeys(decoded(b"{}")[0])] * 2


def test_a_tombstone_is_no_error() -> None:
    assert decoded(None)[0]["json_error"] is None


@pytest.mark.parametrize(
    "value",
    [b"", b"nonsense", b"[1]", b"5", b'{"id": "seven"}', b'{"id": 1.5}', b'{"id": 1', b"{}{}", b'{"id":1} {"id":2}',
     b'{"id": 1}\n{"id": 2}', b"\xff\xfe", b'{"id": 99999999999999999999}'],
)  # fmt: skip
def test_a_value_that_does_not_parse_says_why_and_harms_no_other(value: bytes) -> None:
    rows = decoded(b'{"id": 1}', value, b'{"id": 3}')
    assert [row["id"] for row in rows] == [1, None, 3]
    assert rows[1]["json_error"]
    assert [rows[0]["json_error"], rows[2]["json_error"]] == [None, None]


def test_two_objects_in_one_value_and_none_in_another_do_not_shift_rows() -> None:
    rows = decoded(b'{"id": 1}{"id": 2}', b" ", b'{"id": 3}')
    assert [(row["id"], row["json_error"] is None) for row in rows] == [(None, False), (None, False), (3, True)]


@pytest.mark.parametrize("seed", range(5))
def test_every_value_is_judged_alone_whatever_stands_beside_it(seed: int) -> None:
    dice = random.Random(seed)
    good = [b'{"id": %d}' % number for number in range(300)]
    bad = [b"", b"{", b'{"id": "x"}', b"{}{}", None, b"null", b'"{}"']
    values = [dice.choice(bad) if dice.random() < 0.2 else value for value in good]
    alone = [decoded(value)[0]["id"] for value in values]
    assert [row["id"] for row in decoded(*values)] == alone


@pytest.mark.parametrize(
    ("text", "reason"),
    [("id", "is not COLUMN:TYPE"), ("id:float", "is not COLUMN:TYPE"), ("key:string", "is a column of the record"),
     ("a:int,a:long", "named twice"), ("json_error:string", "is a column of the record")],
)  # fmt: skip
def test_a_wrong_description_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parsed_columns(text, ["key", "value"])
