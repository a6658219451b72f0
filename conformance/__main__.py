"""`python -m conformance`: fetch, build, run, compare with the list."""

import itertools
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from conformance import expectations, report, source
from conformance.brokers import SCENARIOS, chronik_brokers
from conformance.catalog import DEFAULT_SCENARIO, Job, jobs, parse
from conformance.runner import ATTEMPTS_MAX, Bench, run
from conformance.scripts import install_scripts
from conformance.verdicts import Outcome

LIST = Path(__file__).with_name("tests.txt")
LOGS = source.CACHE / "logs"


@click.command()
@click.option("--only", multiple=True, metavar="NNNN", help="Run the tests of this number; may be repeated.")
@click.option("--bootstrap", help="Run against this broker instead of a Chronik of its own.")
@click.option("--scenario", type=click.Choice(sorted(SCENARIOS)), help="Run this scenario alone.")
@click.option("--kafka-path", type=click.Path(path_type=Path), help="Where bin/kafka-topics.sh is (ours).")
@click.option("--update", is_flag=True, help="Add the tests that pass now to the list.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the outcome there as JSON.")
def main(
    only: tuple[str, ...],
    bootstrap: str | None,
    scenario: str | None,
    kafka_path: Path | None,
    update: bool,
    json_path: Path | None,
) -> None:
    """Run librdkafka's tests 0001-0059 in full mode, each in a process of its own."""
    try:
        click.echo("Building librdkafka's tests, unless they are there (about 3 minutes) ...", err=True)
        runner = source.ensure_built()
    except source.BuildError as problem:
        sys.exit(f"conformance: {problem}")
    kafka_path = kafka_path or install_scripts(source.CACHE / "scripts")
    # A broker from outside has one setting of everything, so only one scenario fits.
    wanted = scenario or (DEFAULT_SCENARIO if bootstrap else None)
    chosen = _choose(only, wanted)
    _clear_logs()
    if bootstrap:
        outcomes = _run_all(chosen, lambda job: Bench(runner, bootstrap, LOGS, kafka_path))
        complaints: list[str] = []
    else:
        outcomes, complaints = _run_on_chronik(chosen, runner, kafka_path)
    _conclude(outcomes, complaints, bootstrap or "chronik", update, json_path)


def _choose(only: tuple[str, ...], scenario: str | None) -> tuple[Job, ...]:
    return tuple(
        job
        for job in jobs(parse(source.table_of_tests()))
        if (not only or job.number in only) and (scenario is None or job.scenario == scenario)
    )


def _clear_logs() -> None:
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)


def _run_on_chronik(chosen: Sequence[Job], runner: Path, kafka_path: Path | None) -> tuple[list[Outcome], list[str]]:
    with chronik_brokers() as brokers:
        outcomes = _run_all(chosen, lambda job: Bench(runner, brokers.bootstrap(job.scenario), LOGS, kafka_path))
        # Asked once more, so that one that ended under the last test is seen.
        for scenario in {job.scenario for job in chosen}:
            brokers.bootstrap(scenario)
        return outcomes, brokers.ended + [f"logged by the broker: {line}" for line in brokers.errors()]


def _run_all(chosen: Sequence[Job], bench_for: Callable[[Job], Bench]) -> list[Outcome]:
    """Run the jobs in two lanes: local tests, which mostly wait, beside those that meet the broker."""
    done = itertools.count(1)
    listed = expectations.parse(expectations.read(LIST))
    outcomes: dict[str, Outcome] = {}

    def run_lane(lane: Sequence[Job]) -> None:
        for job in lane:
            # What is listed as an exception is not expected to pass at the third attempt either.
            ended = run(
                job, bench_for(job), attempts_max=1 if expectations.are_exceptions(listed, job) else ATTEMPTS_MAX
            )
            click.echo(report.progress(next(done), len(chosen), job, ended), err=True)
            outcomes.update({outcome.test.name: outcome for outcome in ended})

    with ThreadPoolExecutor(2) as pool:
        lanes = ([job for job in chosen if job.is_local], [job for job in chosen if not job.is_local])
        for result in [pool.submit(run_lane, lane) for lane in lanes]:
            result.result()
    return [outcomes[name] for name in sorted(outcomes)]


def _conclude(
    outcomes: list[Outcome], complaints: list[str], broker: str, update: bool, json_path: Path | None
) -> None:
    text = expectations.read(LIST)
    listed = expectations.parse(text)
    comparison = expectations.compare(listed, outcomes)
    parts = (report.table(outcomes), report.exceptions(outcomes, listed), report.summary(outcomes, comparison))
    click.echo("\n".join(part for part in parts if part))
    for complaint in complaints:
        click.echo(complaint)
    if update:
        LIST.write_text(expectations.update(text, comparison.gained), encoding="utf-8")
    if json_path is not None:
        data = report.as_json(broker, source.library_version(), outcomes, comparison)
        json_path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    click.echo(f"The output of each test is in {LOGS.relative_to(source.ROOT)}.")
    sys.exit(0 if comparison.is_good and not complaints else 1)


if __name__ == "__main__":
    main()
