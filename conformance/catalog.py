"""Which tests there are: read from the table in librdkafka's `tests/test.c`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

NUMBER_MAX = 59

_TABLE = re.compile(r"^struct test tests\[\] = \{(.*?)^\};", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"_TEST\((\d{4})(\w*),(.*?)(?=_TEST\(|\Z)", re.DOTALL)
_SCENARIO = re.compile(r'\.scenario\s*=\s*"(\w+)"')
DEFAULT_SCENARIO = "default"


@dataclass(frozen=True, slots=True)
class Case:
    """One test function; those with the same number run in one process, unless only some are local."""

    name: str
    is_local: bool = False
    is_known_issue: bool = False
    scenario: str = DEFAULT_SCENARIO

    @property
    def number(self) -> str:
        return self.name[:4]


@dataclass(frozen=True, slots=True)
class Job:
    """What one process of the test runner is asked to run."""

    number: str
    scenario: str
    tests: tuple[Case, ...]
    is_local: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("-p1", "-l" if self.is_local else "-L", "-s", self.scenario)


def parse(source: str) -> tuple[Case, ...]:
    """The tests that are ours to run, in their order."""
    table = _TABLE.search(source)
    if table is None:
        raise ValueError("test.c holds no table of tests")
    found = (_test(*entry) for entry in _ENTRY.findall(table.group(1)))
    return tuple(test for test in found if 1 <= int(test.number) <= NUMBER_MAX)


def _test(number: str, rest: str, attributes: str) -> Case:
    scenario = _SCENARIO.search(attributes)
    return Case(
        number + rest,
        is_local=bool(re.search(r"\bTEST_F_LOCAL\b", attributes)),
        is_known_issue=bool(re.search(r"\bTEST_F_KNOWN_ISSUE\b", attributes)),
        scenario=scenario.group(1) if scenario else DEFAULT_SCENARIO,
    )


def jobs(tests: Iterable[Case]) -> tuple[Job, ...]:
    """Group tests into processes. A time-out ends its process, so local tests do not share one with the others."""
    grouped: dict[tuple[str, str, bool], list[Case]] = {}
    for test in tests:
        grouped.setdefault((test.number, test.scenario, test.is_local), []).append(test)
    return tuple(
        Job(number, scenario, tuple(members), is_local) for (number, scenario, is_local), members in grouped.items()
    )
