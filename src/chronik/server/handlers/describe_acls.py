"""DescribeAcls: there is no authorizer, and the answer says so."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from chronik.server.requests.context import RequestContext, Services


def handle(request: DescribeAclsRequest, context: RequestContext, services: Services) -> DescribeAclsResponse:
    """Refuse: an empty list would say that nothing is allowed to anybody."""
    return DescribeAclsResponse(
        error_code=ErrorCode.SECURITY_DISABLED, error_message="No Authorizer is configured on the broker"
    )
