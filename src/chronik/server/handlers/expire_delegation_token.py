"""ExpireDelegationToken: rejected, because connections are not authenticated."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)
from chronik.server.requests.context import RequestContext, Services


def handle(
    request: ExpireDelegationTokenRequest, context: RequestContext, services: Services
) -> ExpireDelegationTokenResponse:
    """Reject, as Kafka does on a connection without authentication."""
    return ExpireDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, expiry_timestamp_ms=-1
    )
