"""A job that fails is tried again, and what failed first is not forgotten."""

from pathlib import Path

from conformance.catalog import Case, Job
from conformance.runner import Bench, run
from conformance.verdicts import Verdict

JOB = Job("0012", "default", (Case("0012_produce_consume"),))
FAILS_ONCE = """#!/bin/sh
if [ -e tried ]; then state=PASSED; else state=FAILED; fi
touch tried
printf '{"tests": {"0012_produce_consume": {"state": "%s", "duration": 1.5}}}' $state >"$TEST_REPORT"
if [ $state = FAILED ]; then
    echo '### Test "0012_produce_consume" failed at here.c:7:part() at now: ###'
    echo 'it took too long'
    exit 1
fi
"""


def bench(directory: Path, script: str) -> Bench:
    runner = directory / "tests" / "test-runner"
    runner.parent.mkdir()
    runner.write_text(script)
    runner.chmod(0o755)
    return Bench(runner, "127.0.0.1:9", directory)


def test_a_pass_at_the_second_attempt_says_why_the_first_failed(tmp_path: Path) -> None:
    (outcome,) = run(JOB, bench(tmp_path, FAILS_ONCE))
    assert (outcome.verdict, outcome.attempts) == (Verdict.PASSED, 2)
    assert "it took too long" in outcome.failed_before
    assert "here.c:7" in (tmp_path / "0012-default-1.log").read_text()


def test_an_attempt_that_may_not_be_repeated_is_the_verdict(tmp_path: Path) -> None:
    (outcome,) = run(JOB, bench(tmp_path, FAILS_ONCE), attempts_max=1)
    assert (outcome.verdict, outcome.attempts) == (Verdict.FAILED, 1)
