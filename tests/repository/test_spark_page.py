"""The page about Spark says what the source does: its table of options is the source's own."""

import re
from pathlib import Path

from chronik.spark.options.parsers import View
from chronik.spark.options.table import OPTIONS

PAGE = (Path(__file__).resolve().parent.parent.parent / "docs" / "spark.md").read_text(encoding="utf-8")


def test_the_page_holds_the_table_of_options() -> None:
    section = PAGE.partition("\n## Options\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert rows == [option.row() for option in OPTIONS]


def test_the_page_lists_every_view() -> None:
    section = PAGE.partition("**Views**")[2].partition("\n**")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [view.value for view in View]
