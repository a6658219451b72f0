"""CreateDelegationToken: rejected, because connections are not authenticated."""

from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from chronik.server.requests.context import RequestContext, Services

_KIND: Final = "User"
_ANONYMOUS: Final = "ANONYMOUS"
"""The principal of a connection without authentication."""
_FIRST_VERSION_WITH_REQUESTER: Final = 3


def handle(
    request: CreateDelegationTokenRequest, context: RequestContext, services: Services
) -> CreateDelegationTokenResponse:
    """Reject, as Kafka does on a connection without authentication."""
    refusal = CreateDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
        principal_type=_KIND,
        principal_name=_ANONYMOUS,
        issue_timestamp_ms=-1,
        expiry_timestamp_ms=-1,
        max_timestamp_ms=-1,
    )
    if context.version >= _FIRST_VERSION_WITH_REQUESTER:
        refusal.token_requester_principal_type = _KIND
        refusal.token_requester_principal_name = _ANONYMOUS
    return refusal
