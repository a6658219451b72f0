"""DescribeAcls: rejected, because there is no authorizer."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from chronik.server.requests.context import RequestContext, Services


def handle(request: DescribeAclsRequest, context: RequestContext, services: Services) -> DescribeAclsResponse:
    """Reject: an empty list would mean that no operation is allowed."""
    return DescribeAclsResponse(
        error_code=ErrorCode.SECURITY_DISABLED, error_message="No Authorizer is configured on the broker"
    )
