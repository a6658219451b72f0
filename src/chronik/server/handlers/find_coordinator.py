"""FindCoordinator: there are no groups and no transactions yet.

A transactional producer must hear it at once. A group is answered as by a Kafka whose coordinator is not there: clients
that only name a group and assign partitions themselves go on undisturbed, and the broker's log says what is missing.
"""

from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.find_coordinator import Coordinator, FindCoordinatorRequest, FindCoordinatorResponse
from chronik.server.context import RequestContext, Services

TRANSACTION: Final = 1
BATCH_VERSION: Final = 4

_TRANSACTIONS_MISSING: Final = "transactions are not supported by this broker yet"
_GROUPS_MISSING: Final = "consumer groups are not supported by this broker yet: assign partitions instead"


def handle(request: FindCoordinatorRequest, context: RequestContext, services: Services) -> FindCoordinatorResponse:
    """Refuse: transactions with an error that no client retries."""
    if request.key_type == TRANSACTION:
        error, message = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, _TRANSACTIONS_MISSING
    else:
        error, message = ErrorCode.COORDINATOR_NOT_AVAILABLE, _GROUPS_MISSING
    services.notices.warn_once(f"client {context.client_id!r} asks for a coordinator: {message}")
    if context.version < BATCH_VERSION:
        return FindCoordinatorResponse(error_code=error, error_message=message, node_id=-1, port=-1)
    return FindCoordinatorResponse(
        coordinators=[Coordinator(key, -1, "", -1, error, message) for key in request.coordinator_keys]
    )
