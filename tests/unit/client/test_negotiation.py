"""Two sides speak the highest version that both know."""

from chronik.client.negotiation import Dialect, VersionRange, highest_common


def test_highest_common_version_is_chosen() -> None:
    assert highest_common(VersionRange(3, 9), VersionRange(0, 7)) == 7
    assert highest_common(VersionRange(3, 9), VersionRange(5, 12)) == 9


def test_ranges_that_only_touch_have_one_version_in_common() -> None:
    assert highest_common(VersionRange(3, 9), VersionRange(9, 12)) == 9


def test_ranges_apart_have_none() -> None:
    assert highest_common(VersionRange(3, 9), VersionRange(0, 2)) is None
    assert highest_common(VersionRange(3, 9), VersionRange(10, 12)) is None


def test_cap_lowers_the_choice_and_may_leave_none() -> None:
    assert highest_common(VersionRange(3, 9), VersionRange(0, 9), cap=5) == 5
    assert highest_common(VersionRange(3, 9), VersionRange(6, 9), cap=5) is None


def test_api_that_the_broker_does_not_name_has_no_version() -> None:
    assert Dialect({1: VersionRange(4, 18)}).version_for(2, VersionRange(1, 9)) is None
