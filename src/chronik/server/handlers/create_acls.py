"""CreateAcls: rejected, because there is no authorizer."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.create_acls import AclCreationResult, CreateAclsRequest, CreateAclsResponse
from chronik.server.requests.context import RequestContext, Services


def handle(request: CreateAclsRequest, context: RequestContext, services: Services) -> CreateAclsResponse:
    """Reject each ACL."""
    return CreateAclsResponse(
        results=[
            AclCreationResult(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured.") for _ in request.creations
        ]
    )
