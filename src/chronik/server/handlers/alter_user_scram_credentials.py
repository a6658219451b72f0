"""AlterUserScramCredentials: rejected, because no listener uses SASL."""

from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from chronik.server.requests.context import RequestContext, Services

NOT_KEPT: Final = "This broker has no SASL listener, so it keeps no SCRAM credentials; nothing was changed."
NOT_THERE: Final = "Attempt to delete a user credential that does not exist"


def handle(
    request: AlterUserScramCredentialsRequest, context: RequestContext, services: Services
) -> AlterUserScramCredentialsResponse:
    """Reject all new credentials; there are none to delete."""
    refused = {deletion.name: (ErrorCode.RESOURCE_NOT_FOUND, NOT_THERE) for deletion in request.deletions}
    refused |= {user.name: (ErrorCode.UNSUPPORTED_SASL_MECHANISM, NOT_KEPT) for user in request.upsertions}
    return AlterUserScramCredentialsResponse(
        results=[
            AlterUserScramCredentialsResult(name, error, message) for name, (error, message) in sorted(refused.items())
        ]
    )
