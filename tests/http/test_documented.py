"""The page on observability names every endpoint, with the words of the table of routes, and none that there is not."""

import re
from pathlib import Path

from tests.http.test_api import routes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "observability.md"
ROW = re.compile(r"^\| `(/[^`]*)` \| (.+) \|$", re.MULTILINE)


def test_the_page_names_every_endpoint_and_no_other() -> None:
    chapter = re.search(r"^## Endpoints\n(.*?)(?=^## )", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert chapter is not None
    assert dict(ROW.findall(chapter.group(1))) == {route.path: route.summary for route in routes()}
