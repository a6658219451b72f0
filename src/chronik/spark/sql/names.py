"""Rewrite the names ``topic.NAME`` and ``archive.NAME`` of a query to names of temporary views.

Spark's catalog cannot hold a topic as a table of a database. Strings, comments and quoted names stay as they are.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?\*/)
      | (?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
      | (?P<quoted>`(?:[^`]|``)*`)
      | (?P<word>\w+)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)

# What may follow a table in FROM; any other word there is its alias.
_NO_ALIAS: Final = frozenset(
    "anti cluster cross distribute except for full group having inner intersect join lateral left limit minus natural "  # noqa: SIM905
    "offset on order pivot right semi set sort tablesample union unpivot using version where window".split()
)


class QueryTableKind(StrEnum):
    """Whether a table is a topic or an archive."""

    TOPIC = "topic"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True, order=True)
class QueryTable:
    """A topic or an archive that a query names."""

    kind: QueryTableKind
    name: str

    @property
    def view(self) -> str:
        """The name of its view, as it is written in SQL."""
        return "`" + f"{self.kind}.{self.name}".replace("`", "``") + "`"


@dataclass(frozen=True, slots=True)
class Query:
    """A query over views, the tables that it names, and every word of it in lower case.

    ``is_open`` where it may use columns that it does not name.
    """

    text: str
    sources: frozenset[QueryTable]
    words: frozenset[str]
    is_open: bool


def parsed_query(text: str) -> Query:
    """Replace the names of tables by views, and list the tables."""
    tokens = [(found.lastgroup or "", found.group()) for found in _TOKEN.finditer(text)]
    changed: list[str] = []
    sources: set[QueryTable] = set()
    place = 0
    while place < len(tokens):
        found = _source_at(tokens, place)
        if found is None:
            changed.append(tokens[place][1])
            place += 1
            continue
        source, place = found
        sources.add(source)
        changed.append(_replacement(source, tokens, place))
    words = [_name(kind, word).lower() for kind, word in tokens if kind in ("word", "quoted")]
    # Statements other than SELECT, and natural joins, use columns without naming them.
    is_open = words[:1] not in (["select"], ["with"]) or "natural" in words or _has_star(tokens)
    return Query("".join(changed), frozenset(sources), frozenset(words), is_open)


Tokens = list[tuple[str, str]]


def _source_at(tokens: Tokens, place: int) -> tuple[QueryTable, int] | None:
    """Read ``topic . NAME`` and return it with the next token's index; a longer dotted name is not one."""
    parts = tokens[place : place + 3]
    if len(parts) < 3 or parts[0][0] != "word" or parts[1][1] != "." or parts[2][0] not in ("word", "quoted"):
        return None
    kind = parts[0][1].lower()
    if kind not in (QueryTableKind.TOPIC, QueryTableKind.ARCHIVE) or (place > 0 and tokens[place - 1][1] == "."):
        return None
    return QueryTable(QueryTableKind(kind), _name(*parts[2])), place + 3


def _replacement(source: QueryTable, tokens: Tokens, place: int) -> str:
    """Return the view in the place of a table, or the table's own name in front of a column."""
    following = next(_following(tokens, place), ("", ""))
    own = "`" + source.name.replace("`", "``") + "`"
    if tokens[place : place + 1] == [("other", ".")]:
        return own
    has_alias = following[0] in ("word", "quoted") and following[1].lower() not in _NO_ALIAS
    return source.view if has_alias else f"{source.view} AS {own}"


def _following(tokens: Tokens, place: int) -> Iterator[tuple[str, str]]:
    return (token for token in tokens[place:] if token[0] != "space")


def _name(kind: str, text: str) -> str:
    return text[1:-1].replace("``", "`") if kind == "quoted" else text


def _has_star(tokens: Tokens) -> bool:
    """Return whether the query selects ``*``; ``count(*)`` uses no column."""
    texts = [text for kind, text in tokens if kind != "space"]
    return any(
        text == "*" and not (texts[i - 1 : i] == ["("] and texts[i + 1 : i + 2] == [")"])
        for i, text in enumerate(texts)
    )
