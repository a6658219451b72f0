"""The pytest plugin of `chronik.testing`, in real runs of pytest."""

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SENDS = """
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, ConfigResource

def send(broker, topic):
    outcomes = []
    producer = Producer(broker.properties({"linger.ms": 0, "log.connection.close": False}))
    producer.produce(topic, b"x", on_delivery=lambda error, message: outcomes.append(error))
    producer.flush(60)
    assert outcomes == [None]

def config(broker, name):
    resource = ConfigResource(ConfigResource.Type.BROKER, "1")
    admin = AdminClient(broker.properties())
    return admin.describe_configs([resource])[resource].result()[name].value
"""


def run(pytester: pytest.Pytester, tests: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(SENDS + tests)
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest", *arguments, timeout=100)


def test_tests_share_one_broker_and_have_topics_and_brokers_of_their_own(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
        SEEN = []

        @pytest.fixture(scope="module")
        def pid(chronik_broker):
            return chronik_broker.pid

        @pytest.mark.parametrize("number", range(2))
        def test_shares(number, chronik_broker, chronik_topic, pid):
            SEEN.append(chronik_topic)
            send(chronik_broker, chronik_topic)
            assert chronik_broker.pid == pid
            assert len(set(SEEN)) == len(SEEN)

        def test_starts_several(chronik_broker, chronik_broker_factory):
            first, second = chronik_broker_factory(), chronik_broker_factory({"num.partitions": 5})
            assert len({chronik_broker.pid, first.pid, second.pid}) == 3
            assert (config(first, "num.partitions"), config(second, "num.partitions")) == ("1", "5")
            SEEN.append(first)

        def test_finds_them_ended():
            assert not SEEN[-1].is_running
    """.replace("\n        ", "\n"),
    )
    result.assert_outcomes(passed=4)


def test_settings_come_from_the_ini_file_the_marker_and_the_call_and_the_nearest_wins(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeini("[pytest]\nchronik_settings =\n    num.partitions=2\n    log.retention.hours = 5\n")
    result = run(
        pytester,
        """
        pytestmark = pytest.mark.chronik_settings({"num.partitions": 3, "log.retention.hours": 6})

        @pytest.mark.chronik_settings({"num.partitions": 4})
        def test_marker(chronik_fresh_broker):
            assert config(chronik_fresh_broker, "num.partitions") == "4"
            assert config(chronik_fresh_broker, "log.retention.hours") == "6"

        def test_call(chronik_broker_factory):
            assert config(chronik_broker_factory({"num.partitions": 8}), "num.partitions") == "8"
    """.replace("\n        ", "\n"),
        "--strict-markers",
    )
    result.assert_outcomes(passed=2)
    pytester.makepyfile(
        test_ini=SENDS + "\ndef test(chronik_broker): assert config(chronik_broker, 'num.partitions') == '2'"
    )
    pytester.runpytest_subprocess("test_ini.py", timeout=100).assert_outcomes(passed=1)


def test_a_marker_that_would_have_no_effect_fails_the_test(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
@pytest.mark.chronik_settings({"num.partitions": 4})
def test_shared(chronik_broker):
    pass
""",
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*does not change the shared chronik_broker: use chronik_fresh_broker*"])


def test_the_log_is_shown_beside_a_failure_and_only_there(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
def test_fails(chronik_fresh_broker, chronik_broker):
    assert False

def test_shared_fails(chronik_broker):
    assert False

def test_passes(chronik_fresh_broker):
    pass
""",
    )
    result.assert_outcomes(passed=1, failed=2)
    shown = result.stdout.str()
    assert shown.count("log of this test's broker 0") == 1
    assert shown.count("log of chronik_broker during this test") == 2
    assert len(re.findall(r"broker 1 serves 127\.0\.0\.1:\d+", shown)) == 2


def test_a_shared_broker_that_a_test_killed_is_there_again_for_the_next(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
def test_kills(chronik_broker, chronik_topic):
    chronik_broker.kill()

def test_next(chronik_broker, chronik_topic):
    send(chronik_broker, chronik_topic)
""",
    )
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(["*an earlier test left chronik_broker ended (exit code -9)*"])


def test_a_broker_that_cannot_start_is_an_error_with_its_own_words(pytester: pytest.Pytester) -> None:
    result = run(pytester, "\ndef test_wrong(chronik_broker): pass\n", "-o", "chronik_settings=num.partitoins=3")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*BrokerError: the broker ended with code 1*", "*num.partitoins*num.partitions*"])


def test_each_worker_of_xdist_has_a_broker_and_none_is_left(pytester: pytest.Pytester, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    result = run(
        pytester,
        f"""
import pathlib
@pytest.mark.parametrize("number", range(6))
def test_worker(number, chronik_broker, chronik_topic, worker_id):
    send(chronik_broker, chronik_topic)
    pathlib.Path({str(pids)!r}, f"{{worker_id}}-{{chronik_broker.pid}}").touch()
""",
        "-n2",
    )
    result.assert_outcomes(passed=6)
    names = sorted(path.name for path in pids.iterdir())
    assert len(names) == len({name.split("-")[0] for name in names})
    assert [name for name in names if Path(f"/proc/{name.split('-')[1]}").exists()] == []


def test_a_run_that_does_not_use_the_plugin_loads_nothing_for_it(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
import sys
def test_not_loaded():
    assert "chronik.testing.plugin" in sys.modules
    unwanted = ("chronik.testing.broker", "chronik.client", "chronik.server")
    assert [name for name in sys.modules if name.startswith(unwanted)] == []
""",
    )
    result.assert_outcomes(passed=1)
