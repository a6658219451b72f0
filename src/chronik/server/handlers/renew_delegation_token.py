"""RenewDelegationToken: rejected, because connections are not authenticated."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)
from chronik.server.requests.context import RequestContext, Services


def handle(
    request: RenewDelegationTokenRequest, context: RequestContext, services: Services
) -> RenewDelegationTokenResponse:
    """Reject, as Kafka does on a connection without authentication."""
    return RenewDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, expiry_timestamp_ms=-1
    )
