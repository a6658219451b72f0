"""SaslAuthenticate: rejected, because all listeners are plaintext."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from chronik.server.requests.context import RequestContext, Services


def handle(request: SaslAuthenticateRequest, context: RequestContext, services: Services) -> SaslAuthenticateResponse:
    """Reject, as Kafka does on a plaintext listener; the bytes are ignored."""
    return SaslAuthenticateResponse(
        error_code=ErrorCode.ILLEGAL_SASL_STATE,
        error_message="This listener is plaintext, without authentication",
    )
