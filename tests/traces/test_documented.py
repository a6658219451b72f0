"""The chapter on traces has every event and column as the code has them, and every config."""

from pathlib import Path

from chronik.metadata.configs.validation import BROKER_CONFIGS
from chronik.observability.trace_events import COLUMNS, EVENTS, EVERYWHERE

PAGE = Path(__file__).parents[2] / "docs" / "observability.md"


def chapter() -> str:
    text = PAGE.read_text()
    start = text.index("\n## Traces\n")
    return text[start : text.index("\n## ", start + 1)]


def rows(header: str) -> list[str]:
    lines = chapter().splitlines()
    start = lines.index(header) + 2
    end = next((number for number in range(start, len(lines)) if not lines[number].startswith("|")), len(lines))
    return lines[start:end]


def summary(event: type) -> str:
    assert event.__doc__ is not None
    return " ".join(event.__doc__.split())


def test_the_table_of_events_is_that_of_the_code() -> None:
    told = {event: [name for name in event._fields if name not in _WHO] for event in EVENTS}
    expected = [
        f"| `{name}` | {summary(event)} | {', '.join(f'`{field}`' for field in told[event])} |"
        for event, name in EVENTS.items()
    ]
    assert rows("| event | when | fields |") == expected


_WHO = frozenset({"topic", "partition", "client_id", "correlation_id"})


def test_the_table_of_columns_is_that_of_the_code() -> None:
    expected = [f"| `{name}` | {column.kind} | {column.meaning} |" for name, column in COLUMNS.items()]
    assert rows("| column | type | what it is |") == expected
    assert all(name in COLUMNS for name in EVERYWHERE)


def test_every_config_of_traces_is_in_the_table_with_its_default() -> None:
    names = [name for name in BROKER_CONFIGS if name.startswith("chronik.trace")]
    table = rows("| config | of | default | what it does |")
    assert [row.split("|")[1].strip() for row in table] == [f"`{name}`" for name in sorted(names)]
    for row in table:
        name = row.split("|")[1].strip(" `")
        assert row.split("|")[3].strip(" `").replace(",", "") == BROKER_CONFIGS[name].default
