"""DescribeUserScramCredentials: there are no SCRAM credentials."""

from collections import Counter

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)
from chronik.server.requests.context import RequestContext, Services


def handle(
    request: DescribeUserScramCredentialsRequest, context: RequestContext, services: Services
) -> DescribeUserScramCredentialsResponse:
    """Return no users; users that the request names are not found."""
    asked = Counter(user.name for user in request.users or ())
    return DescribeUserScramCredentialsResponse(
        results=[_not_found(name, times) for name, times in sorted(asked.items())]
    )


def _not_found(name: str, times: int) -> DescribeUserScramCredentialsResult:
    if times > 1:
        message = f"Cannot describe SCRAM credentials for the same user twice in a single request: {name}"
        return DescribeUserScramCredentialsResult(name, ErrorCode.DUPLICATE_RESOURCE, message)
    message = f"Attempt to describe a user credential that does not exist: {name}"
    return DescribeUserScramCredentialsResult(name, ErrorCode.RESOURCE_NOT_FOUND, message)
