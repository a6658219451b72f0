"""ListTransactions: there are none until transactions are built."""

from typing import Final

from chronik.protocol.generated.list_transactions import ListTransactionsRequest, ListTransactionsResponse
from chronik.server.requests.context import RequestContext, Services

_STATES: Final = frozenset(
    {
        "Empty",
        "Ongoing",
        "PrepareCommit",
        "PrepareAbort",
        "CompleteCommit",
        "CompleteAbort",
        "Dead",
        "PrepareEpochFence",
    }
)


def handle(request: ListTransactionsRequest, context: RequestContext, services: Services) -> ListTransactionsResponse:
    """Return no transactions, and the unknown states of the filter."""
    return ListTransactionsResponse(
        unknown_state_filters=[state for state in request.state_filters if state not in _STATES]
    )
