"""InitProducerId: an id for an idempotent producer; transactional producers are rejected."""

from collections.abc import Coroutine
from typing import Any

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from chronik.server.requests.context import RequestContext, Services


def handle(
    request: InitProducerIdRequest, context: RequestContext, services: Services
) -> InitProducerIdResponse | Coroutine[Any, Any, InitProducerIdResponse]:
    """Return a new id with epoch 0, also to a producer that already has an id."""
    if request.transactional_id is not None:
        # Not retriable, so that every client fails at once instead of waiting for a coordinator.
        error = (
            ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED if request.transactional_id else ErrorCode.INVALID_REQUEST
        )
        return InitProducerIdResponse(error_code=error)
    if (request.producer_id < 0) != (request.producer_epoch < 0):
        return InitProducerIdResponse(error_code=ErrorCode.INVALID_REQUEST)
    return _new_id(services)


async def _new_id(services: Services) -> InitProducerIdResponse:
    return InitProducerIdResponse(producer_id=await services.producer_ids.next_id(), producer_epoch=0)
