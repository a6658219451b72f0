"""SaslAuthenticate: the listeners are plain, so there is nothing to go on with."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from chronik.server.requests.context import RequestContext, Services


def handle(request: SaslAuthenticateRequest, context: RequestContext, services: Services) -> SaslAuthenticateResponse:
    """Refuse, as Kafka does on a plaintext listener; the bytes are never looked at."""
    return SaslAuthenticateResponse(
        error_code=ErrorCode.ILLEGAL_SASL_STATE,
        error_message="This listener is plain: there is nothing to authenticate",
    )
