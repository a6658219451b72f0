"""Error codes are found in the answers of every API, wherever they are, and the quick ways find the same."""

from collections import Counter
from typing import Any, get_args

import pytest

from chronik.protocol.apis import SERVED, Api
from chronik.protocol.generated.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from chronik.protocol.generated.produce import PartitionProduceResponse, ProduceResponse, TopicProduceResponse
from chronik.protocol.wire import Struct
from chronik.server.requests import error_codes as refusals


class Filler:
    """Fills an answer: every list gets two entries, every error code a number of its own."""

    def __init__(self) -> None:
        self.codes: list[int] = []

    def fill(self, kind: type[Struct]) -> Any:
        made = kind()
        for name, hint in kind.__annotations__.items():
            if name == "error_code":
                self.codes.append(len(self.codes) + 1)
                made.error_code = self.codes[-1]  # type: ignore[attr-defined]
            elif (element := element_of(hint)) is not None:
                setattr(made, name, [self.fill(element), self.fill(element)])
        return made


def element_of(hint: Any) -> type[Struct] | None:
    for option in get_args(hint):
        if isinstance(option, type) and issubclass(option, Struct):
            return option
        if (found := element_of(option)) is not None:
            return found
    return None


@pytest.mark.parametrize("api", SERVED.values(), ids=lambda api: api.name)
def test_every_error_code_of_an_answer_is_counted_once(api: Api) -> None:
    filler = Filler()
    answer = filler.fill(api.response)
    assert filler.codes, "every answer of this protocol can say no"
    walk = refusals.error_walk(api.response)
    assert walk is not None
    found: list[int] = []
    walk(answer, found.append)
    assert Counter(found) == Counter(filler.codes)


def test_what_is_not_refused_is_not_counted() -> None:
    produce = ProduceResponse([TopicProduceResponse("a", partition_responses=[PartitionProduceResponse(0)])])
    fetch = FetchResponse(responses=[FetchableTopicResponse(partitions=[PartitionData(), PartitionData()])])
    for answer in (produce, fetch):
        walk = refusals.error_walk(type(answer))
        assert walk is not None
        walk(answer, lambda code: pytest.fail(f"error {code}"))


def test_an_answer_that_leaves_a_list_out_refuses_nothing_there() -> None:
    walk = refusals.error_walk(next(api.response for api in SERVED.values() if api.name == "Metadata"))
    answer = next(api.response for api in SERVED.values() if api.name == "Metadata")()
    answer.topics = None  # type: ignore[attr-defined]
    assert walk is not None
    walk(answer, lambda code: pytest.fail(f"error {code}"))
