"""Where Chronik came along with a job, its streams' processes are told."""

from chronik.spark.sessions.py_files import with_path


def test_a_path_is_added_once_and_behind_the_others() -> None:
    once = with_path("a:b", "c.zip")
    assert (once, with_path(once, "c.zip"), with_path("", "c.zip")) == ("a:b:c.zip", "a:b:c.zip", "c.zip")
