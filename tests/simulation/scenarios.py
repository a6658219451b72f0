"""Where the scenarios are listed, by name: each the story of a loss that one rule of replication prevents.

A scenario says what must hold in passing; the judge holds everything else against every event of it. With its rule
dropped it must fail.
"""

from collections.abc import Callable

SCENARIOS: dict[str, Callable[[], None]] = {}


def scenario(story: Callable[[], None]) -> Callable[[], None]:
    assert story.__name__ not in SCENARIOS, f"two scenarios are called {story.__name__}"
    SCENARIOS[story.__name__] = story
    return story
