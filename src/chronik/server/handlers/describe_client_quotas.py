"""DescribeClientQuotas: there are no quotas; an invalid filter is rejected as in Kafka."""

from collections.abc import Sequence
from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)
from chronik.server.requests.context import RequestContext, Services

_EXACT: Final = 0
_DEFAULT: Final = 1
_SPECIFIED: Final = 2
_USER, _CLIENT, _IP = "user", "client-id", "ip"
_KINDS: Final = frozenset({_USER, _CLIENT, _IP})

_Refused = tuple[ErrorCode, str]


def handle(
    request: DescribeClientQuotasRequest, context: RequestContext, services: Services
) -> DescribeClientQuotasResponse:
    """Return no entries for every valid filter."""
    refused = _rejection_of(request.components)
    if refused is None:
        return DescribeClientQuotasResponse()
    error, message = refused
    return DescribeClientQuotasResponse(error_code=error, error_message=message, entries=None)


def _rejection_of(components: Sequence[ComponentData]) -> _Refused | None:
    kinds: set[str] = set()
    for component in components:
        refused = _rejection_of_component(component, kinds)
        if refused is not None:
            return refused
        kinds.add(component.entity_type)
    if _IP in kinds and len(kinds) > 1:
        return ErrorCode.INVALID_REQUEST, "An ip cannot be joined with a user or client-id in one filter."
    return None


def _rejection_of_component(component: ComponentData, before: set[str]) -> _Refused | None:
    kind = component.entity_type
    if not kind:
        return ErrorCode.INVALID_REQUEST, "Invalid empty entity type."
    if kind in before:
        return ErrorCode.INVALID_REQUEST, f"Entity type {kind} cannot appear more than once in the filter."
    if component.match_type not in (_EXACT, _DEFAULT, _SPECIFIED):
        return ErrorCode.INVALID_REQUEST, f"Unknown match type {component.match_type}"
    if component.match_type == _EXACT and component.match is None:
        return ErrorCode.INVALID_REQUEST, "An exact match needs the name to match."
    if component.match_type != _EXACT and component.match is not None:
        return ErrorCode.INVALID_REQUEST, "A name to match is given for a match type that has none."
    if kind not in _KINDS:
        return ErrorCode.UNSUPPORTED_VERSION, f"Unsupported entity type {kind}"
    return None
