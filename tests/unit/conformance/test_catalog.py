"""The table of tests is read out of librdkafka's source, and split into processes."""

import pytest

from conformance.catalog import Case, Job, jobs, parse

SOURCE = """
_TEST_DECL(0001_multiobj);
struct test tests[] = {
    {.name = "<MAIN>", .flags = TEST_F_LOCAL},
    _TEST(0000_unittests, TEST_F_LOCAL, _THRES(.ucpu = 100.0)),
    _TEST(0001_multiobj, 0),
    _TEST(0028_long_topicnames,
          TEST_F_KNOWN_ISSUE,
          TEST_BRKVER(0, 9, 0, 0),
          .extra = "a page"),
    _TEST(0045_subscribe_update, 0, TEST_BRKVER(0, 9, 0, 0)),
    _TEST(0045_subscribe_update_topic_remove,
          0,
          TEST_BRKVER(0, 9, 0, 0),
          .scenario = "noautocreate"),
    _TEST(0045_subscribe_update_mock, TEST_F_LOCAL),
    _TEST(0055_producer_latency, TEST_F_KNOWN_ISSUE_WIN32),
    _TEST(0060_op_prio, 0, TEST_BRKVER(0, 9, 0, 0)),
    {NULL}};
};
"""


def test_tests_1_to_59_are_found_with_what_is_said_of_them() -> None:
    assert parse(SOURCE) == (
        Case("0001_multiobj"),
        Case("0028_long_topicnames", is_known_issue=True),
        Case("0045_subscribe_update"),
        Case("0045_subscribe_update_topic_remove", scenario="noautocreate"),
        Case("0045_subscribe_update_mock", is_local=True),
        Case("0055_producer_latency"),
    )


def test_a_source_without_a_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="no table"):
        parse("int main;")


def test_tests_of_one_number_share_a_process_unless_scenario_or_locality_differ() -> None:
    plain, other = Case("0045_a"), Case("0045_b")
    remove, mock = Case("0045_c", scenario="noautocreate"), Case("0045_d", is_local=True)
    assert jobs((plain, remove, mock, other)) == (
        Job("0045", "default", (plain, other)),
        Job("0045", "noautocreate", (remove,)),
        Job("0045", "default", (mock,), is_local=True),
    )


def test_a_process_runs_only_the_tests_of_its_job() -> None:
    assert Job("0045", "noautocreate", ()).arguments == ("-p1", "-L", "-s", "noautocreate")
    assert Job("0045", "default", (), is_local=True).arguments == ("-p1", "-l", "-s", "default")
