"""DeleteAcls: rejected, because there is no authorizer."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.delete_acls import DeleteAclsFilterResult, DeleteAclsRequest, DeleteAclsResponse
from chronik.server.requests.context import RequestContext, Services


def handle(request: DeleteAclsRequest, context: RequestContext, services: Services) -> DeleteAclsResponse:
    """Reject each filter."""
    return DeleteAclsResponse(
        filter_results=[
            DeleteAclsFilterResult(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured.") for _ in request.filters
        ]
    )
