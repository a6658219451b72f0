"""Topic names: the rules of Kafka, and the internal topics."""

import re
from typing import Final

TOPIC_NAME_BYTES_MAX: Final = 249
OFFSETS_TOPIC: Final = "__consumer_offsets"
INTERNAL_TOPICS: Final = frozenset({OFFSETS_TOPIC, "__transaction_state"})

_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def rejection_of_topic_name(name: str) -> str | None:
    """Return what is wrong with a topic name, or None."""
    if not name:
        return "the topic name is empty"
    if name in (".", ".."):
        return f"the topic name cannot be {name!r}"
    if len(name) > TOPIC_NAME_BYTES_MAX:
        return f"the topic name is {len(name)} characters long; at most {TOPIC_NAME_BYTES_MAX} are allowed"
    if not _LEGAL.fullmatch(name):
        return f"the topic name {name!r} holds a character other than ASCII letters, digits, '.', '_' and '-'"
    return None


def collision_key(name: str) -> str:
    """Return the form in which two names collide: metric names do not distinguish '.' and '_'."""
    return name.replace(".", "_")
