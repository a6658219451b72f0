"""The page about Spark says what the source does: its table of options is the source's own."""

import re
from pathlib import Path

from chronik.spark.options.table import OPTIONS, Option, Where
from chronik.spark.planning.slices import View

PAGE = (Path(__file__).resolve().parent.parent.parent / "docs" / "spark.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([\w.]+)` \| ([^|]*) \| ([^|]*) \| ([^|]*)\|$", re.MULTILINE)


def kinds(where: Where) -> str:
    return ", ".join(
        kind.name.lower() for kind in (Where.BATCH, Where.STREAM, Where.WRITE) if kind in where and kind.name
    )


def written(option: Option) -> tuple[str, str, str]:
    return option.name, option.default, kinds(option.where)


def test_the_page_lists_every_option_with_its_default_and_its_use() -> None:
    section = PAGE.partition("\n## Options\n")[2].partition("\n## ")[0]
    assert [row[:3] for row in ROW.findall(section)] == [written(option) for option in OPTIONS]


def test_the_page_says_which_options_are_chronik_s_own() -> None:
    own = {name for name, _, _, words in ROW.findall(PAGE) if words.startswith("Chronik's own")}
    assert own == {option.name for option in OPTIONS if option.own}


def test_the_page_lists_every_view() -> None:
    section = PAGE.partition("**Views**")[2].partition("\n**")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [view.value for view in View]
