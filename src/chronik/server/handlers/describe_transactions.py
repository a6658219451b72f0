"""DescribeTransactions: there are no transactional ids until transactions are built."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TransactionState,
)
from chronik.server.requests.context import RequestContext, Services


def handle(
    request: DescribeTransactionsRequest, context: RequestContext, services: Services
) -> DescribeTransactionsResponse:
    """Return for each id that it is unknown."""
    return DescribeTransactionsResponse(
        transaction_states=[
            TransactionState(
                ErrorCode.TRANSACTIONAL_ID_NOT_FOUND if transactional_id else ErrorCode.INVALID_REQUEST,
                transactional_id,
            )
            for transactional_id in request.transactional_ids
        ]
    )
