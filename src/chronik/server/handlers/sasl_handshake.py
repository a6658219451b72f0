"""SaslHandshake: rejected, because all listeners are plaintext."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from chronik.server.requests.context import RequestContext, Services


def handle(request: SaslHandshakeRequest, context: RequestContext, services: Services) -> SaslHandshakeResponse:
    """Reject and offer no mechanism, as Kafka does on a plaintext listener."""
    services.notices.warn_once(
        f"client {context.client_id!r} uses SASL, but this listener is plaintext: "
        "set security.protocol=PLAINTEXT in the client"
    )
    return SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE)
