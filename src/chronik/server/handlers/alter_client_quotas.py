"""AlterClientQuotas: refused, because a quota that is kept and not enforced would be a false promise."""

from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    ResponseEntryData,
)
from chronik.server.requests.context import RequestContext, Services

WHY_NOT: Final = "This broker does not enforce client quotas; nothing was changed."


def handle(request: AlterClientQuotasRequest, context: RequestContext, services: Services) -> AlterClientQuotasResponse:
    """Refuse each entry, with the error by which clients know a feature that the broker does not have."""
    return AlterClientQuotasResponse(
        entries=[ResponseEntryData(ErrorCode.UNSUPPORTED_VERSION, WHY_NOT, entry.entity) for entry in request.entries]
    )
