"""Where the deliberate bugs are listed, by name."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

Patch = pytest.MonkeyPatch


class Mutation(NamedTuple):
    """One bug: what it does to the product, and the seed or the scenario that finds it."""

    name: str
    sentence: str
    apply: Callable[[Patch], None]


MUTATIONS: dict[str, Mutation] = {}


def mutation(name: str) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    """List a patch under a name; its docstring says what the bug is."""

    def enlist(apply: Callable[[Patch], None]) -> Callable[[Patch], None]:
        assert name not in MUTATIONS, f"two mutations are called {name}"
        MUTATIONS[name] = Mutation(name, (apply.__doc__ or "").strip(), apply)
        return apply

    return enlist
