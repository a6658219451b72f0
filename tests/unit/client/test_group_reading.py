"""Where a member begins to read: at the committed offset while the log has it, else as the reset says."""

import pytest

from chronik.client.errors import RefusedError
from chronik.client.group_reading import plan_positions
from chronik.model.ids import TopicPartition

AT = TopicPartition("t", 0)
BOUNDS = {AT: (10, 20)}


@pytest.mark.parametrize("offset", [10, 15, 20])
@pytest.mark.parametrize("reset", ["earliest", "latest", "none"])
def test_a_committed_offset_within_the_log_is_taken_whatever_the_reset(offset: int, reset: str) -> None:
    assert plan_positions({AT: offset}, BOUNDS, reset) == {AT: offset}


@pytest.mark.parametrize("known", [{}, {AT: 9}, {AT: 21}], ids=["nothing committed", "expired", "beyond the end"])
def test_the_reset_decides_where_no_offset_serves(known: dict[TopicPartition, int]) -> None:
    assert plan_positions(known, BOUNDS, "earliest") == {AT: 10}
    assert plan_positions(known, BOUNDS, "latest") == {AT: 20}
    with pytest.raises(RefusedError, match="OFFSET_OUT_OF_RANGE"):
        plan_positions(known, BOUNDS, "none")
