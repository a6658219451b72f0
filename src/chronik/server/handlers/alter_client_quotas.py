"""AlterClientQuotas: rejected, because the broker would not enforce the quotas."""

from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    ResponseEntryData,
)
from chronik.server.requests.context import RequestContext, Services

NOT_ENFORCED: Final = "This broker does not enforce client quotas; nothing was changed."


def handle(request: AlterClientQuotasRequest, context: RequestContext, services: Services) -> AlterClientQuotasResponse:
    """Reject each entry, with the error that clients understand as a missing feature of the broker."""
    return AlterClientQuotasResponse(
        entries=[
            ResponseEntryData(ErrorCode.UNSUPPORTED_VERSION, NOT_ENFORCED, entry.entity) for entry in request.entries
        ]
    )
