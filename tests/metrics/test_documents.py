"""The page about watching a cluster has every metric, and no other; the dashboard and the alerts use no other."""

import re
from pathlib import Path

from chronik.server.metrics.catalogue import ALL, CHRONIK, KAFKA, KAFKA_EXPORTER, PROCESS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "observability.md").read_text()
ROW = re.compile(r"^\| `((?:chronik|kafka|process)_\w+)` \| (\w+) \| (.*?) \| (.+) \|$", flags=re.MULTILINE)
METRIC = re.compile(r"\b(?:chronik|kafka|process)_\w+")


def section() -> str:
    return PAGE.split("\n## Metrics\n", 1)[1].split("\n## ", 1)[0]


def test_the_tables_are_the_catalogue() -> None:
    told = [
        (name, kind, tuple(re.findall(r"`(\w+)`", labels)), meaning)
        for name, kind, labels, meaning in ROW.findall(section())
    ]
    described = [(each.name, each.kind.value, each.labels, each.meaning) for each in ALL.values()]
    assert told == described


def test_no_metric_is_described_twice() -> None:
    assert len(ALL) == len(CHRONIK) + len(KAFKA) + len(KAFKA_EXPORTER) + len(PROCESS)


def test_the_page_names_every_alert() -> None:
    rules = (ROOT / "deploy" / "prometheus" / "alerts.yml").read_text()
    assert [name for name in re.findall(r"alert: (\w+)", rules) if f"`{name}`" not in section()] == []


def test_dashboard_and_alerts_name_no_metric_that_is_not_told() -> None:
    for path in (ROOT / "deploy" / "grafana" / "chronik.json", ROOT / "deploy" / "prometheus" / "alerts.yml"):
        named = {
            re.sub(r"_(bucket|sum|count)$", "", name) if name not in ALL else name
            for name in METRIC.findall(path.read_text())
        }
        assert named - ALL.keys() == set()
