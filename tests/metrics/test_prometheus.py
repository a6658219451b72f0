"""Debian's Prometheus scrapes a real cluster: every query of the dashboard and of the alerts finds what it asks for."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

from tests.metrics.conftest import LAGS, QUIET, SENT, Watched
from tests.metrics.scraping import Prometheus, running_prometheus, wait_for

pytestmark = pytest.mark.xdist_group("metrics")

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "alerts.yml"
CASES = Path(__file__).with_name("alert_cases.yml")
DASHBOARD = DEPLOY / "grafana" / "chronik.json"
SELECTOR = re.compile(r"\b((?:chronik|kafka|process)_\w+|up)(\{[^}]*\})?")


@pytest.fixture(scope="module")
def prometheus(
    watched: Watched, prometheus_program: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    """Prometheus, which has scraped every broker some times while one message after the other was sent."""
    directory = tmp_path_factory.mktemp("prometheus")
    with running_prometheus(prometheus_program, directory, watched.addresses, RULES) as running:
        producer = Producer({**QUIET, "bootstrap.servers": watched.cluster.bootstrap_servers, "acks": "all"})

        def is_scraped() -> bool:
            producer.produce("ticks", b"tick")
            producer.flush(30)
            scrapes = running.query('count_over_time(up{job="chronik"}[1m])')
            return len(scrapes) == 3 and all(int(each["value"][1]) >= 3 for each in scrapes)

        wait_for(is_scraped, "every broker was scraped three times")
        yield running


def test_every_broker_is_scraped_without_an_error(prometheus: Prometheus) -> None:
    targets = prometheus.targets()
    assert [(target["health"], target["lastError"]) for target in targets] == [("up", "")] * 3


def dashboard_queries() -> list[tuple[str, str]]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [(panel["title"], target["expr"]) for panel in panels for target in panel.get("targets", ())]


@pytest.mark.parametrize(("title", "expression"), dashboard_queries())
def test_every_query_of_the_dashboard_finds_series(title: str, expression: str, prometheus: Prometheus) -> None:
    filled = expression.replace("$__rate_interval", "1m").replace("$topic", ".*")
    assert "$" not in filled
    assert prometheus.query(filled), f"{title}: nothing found"


def rule_expressions() -> list[str]:
    return re.findall(r"^ +expr: (.+)$", RULES.read_text(), flags=re.MULTILINE)


def test_every_rule_was_found() -> None:
    assert len(rule_expressions()) == RULES.read_text().count("alert: ")


@pytest.mark.parametrize("expression", rule_expressions())
def test_every_alert_can_be_evaluated_and_is_about_series_that_there_are(
    expression: str, prometheus: Prometheus
) -> None:
    prometheus.query(expression)
    selectors = [name + (labels or "") for name, labels in SELECTOR.findall(expression)]
    assert selectors
    for selector in selectors:
        # The refusal of a version has no series before it happens.
        without_error = re.sub(r'\{error="UNSUPPORTED_VERSION"\}', "", selector)
        assert prometheus.query(without_error), f"nothing is told as {selector}"


def test_a_healthy_cluster_raises_no_alert(prometheus: Prometheus) -> None:
    # A loaded machine may hold the event loop up, which is worth an alert, and no fault of the rules.
    firing = {name for name, state in prometheus.alerts().items() if state == "firing"}
    assert firing - {"ChronikEventLoopDelayed"} == set()


def test_prometheus_knows_what_clients_know(watched: Watched, prometheus: Prometheus) -> None:
    sent = prometheus.query(f'sum(kafka_server_brokertopicmetrics_messagesin_total{{topic="{watched.topic}"}})')
    assert int(sent[0]["value"][1]) == sum(SENT.values())
    lag = prometheus.query(f'sum(kafka_consumergroup_lag{{consumergroup="{watched.group}"}})')
    assert int(lag[0]["value"][1]) == sum(LAGS.values())
    assert prometheus.query("sum(kafka_controller_kafkacontroller_activecontrollercount)")[0]["value"][1] == "1"


def test_the_rules_and_the_example_of_a_config_are_well_formed(promtool: str) -> None:
    for what, path in (("rules", RULES), ("config", DEPLOY / "prometheus" / "prometheus.yml")):
        done = subprocess.run([promtool, "check", what, str(path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_alerts_fire_when_they_should_and_only_then(promtool: str, tmp_path: Path) -> None:
    cases = tmp_path / "cases.yml"
    cases.write_text(CASES.read_text().replace("RULES", str(RULES)))
    done = subprocess.run([promtool, "test", "rules", str(cases)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_a_case_and_says_what_to_do() -> None:
    text, cases = RULES.read_text(), CASES.read_text()
    names = re.findall(r"alert: (\w+)", text)
    assert [name for name in names if name not in cases] == []
    assert text.count("what_to_do: ") == text.count("summary: ") == text.count("severity: ") == len(names)
