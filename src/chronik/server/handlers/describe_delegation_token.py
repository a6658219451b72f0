"""DescribeDelegationToken: tokens are for authenticated connections, and there are none."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_delegation_token import (
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from chronik.server.requests.context import RequestContext, Services


def handle(
    request: DescribeDelegationTokenRequest, context: RequestContext, services: Services
) -> DescribeDelegationTokenResponse:
    """Refuse, as Kafka does on a connection that is not authenticated."""
    return DescribeDelegationTokenResponse(error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
