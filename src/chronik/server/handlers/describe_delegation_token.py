"""DescribeDelegationToken: rejected, because connections are not authenticated."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_delegation_token import (
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from chronik.server.requests.context import RequestContext, Services


def handle(
    request: DescribeDelegationTokenRequest, context: RequestContext, services: Services
) -> DescribeDelegationTokenResponse:
    """Reject, as Kafka does on a connection without authentication."""
    return DescribeDelegationTokenResponse(error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
