"""Finding the error codes of a response: where they are is worked out once per response type, from its fields.

They are counted when responses are sent, for every API, without help of the handlers. The two most frequent APIs have
their walk written out: access to the same fields by name takes twice as long.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, get_args

from chronik.protocol.generated.fetch import FetchResponse
from chronik.protocol.generated.produce import ProduceResponse
from chronik.protocol.wire import Message, Struct

Note = Callable[[int], None]
Walk = Callable[[Any, Note], None]

_ERROR: Final = "error_code"


def error_walk(response: type[Message]) -> Walk | None:
    """Return a function that calls back for every error code other than 0; None if the response type has none."""
    return _WRITTEN_OUT.get(response) or _walk(response)


def _of_produce(response: ProduceResponse, note: Note) -> None:
    for topic in response.responses:
        for partition in topic.partition_responses:
            if partition.error_code:
                note(partition.error_code)


def _of_fetch(response: FetchResponse, note: Note) -> None:
    if response.error_code:
        note(response.error_code)
    for topic in response.responses:
        for partition in topic.partitions:
            if partition.error_code:
                note(partition.error_code)


_WRITTEN_OUT: Final[dict[type[Message], Walk]] = {ProduceResponse: _of_produce, FetchResponse: _of_fetch}


def _walk(kind: type[Struct]) -> Walk | None:
    here = _ERROR in kind.__annotations__
    fields = [walk for name, inner in _structs(kind) if (walk := _field_walk(name, inner)) is not None]
    if not here:
        return None if not fields else fields[0] if len(fields) == 1 else _all_of(fields)
    return _own_code if not fields else _all_of([_own_code, *fields])


def _structs(kind: type[Struct]) -> list[tuple[str, type[Struct]]]:
    """Return the fields that are lists of structs."""
    found = [(name, _element(hint)) for name, hint in kind.__annotations__.items()]
    return [(name, element) for name, element in found if element is not None]


def _element(hint: Any) -> type[Struct] | None:
    for option in get_args(hint):
        if isinstance(option, type) and issubclass(option, Struct):
            return option
        if (inner := _element(option)) is not None:
            return inner
    return None


def _field_walk(name: str, kind: type[Struct]) -> Walk | None:
    """Walk a list of structs. Structs with only an error code get a faster walk: there is one for every partition."""
    walk_one = _walk(kind)
    if walk_one is None:
        return None
    field_of = attrgetter(name)

    def walk_codes(parent: Any, note: Note) -> None:
        for one in field_of(parent) or ():
            if one.error_code:
                note(one.error_code)

    def walk(parent: Any, note: Note) -> None:
        for one in field_of(parent) or ():
            walk_one(one, note)

    return walk_codes if walk_one is _own_code else walk


def _own_code(struct: Any, note: Note) -> None:
    if struct.error_code:
        note(struct.error_code)


def _all_of(walks: list[Walk]) -> Walk:
    def walk(struct: Any, note: Note) -> None:
        for one in walks:
            one(struct, note)

    return walk
