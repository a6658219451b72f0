"""The errors of encoding and decoding."""


class ProtocolError(Exception):
    """The bytes are not a well-formed message, or the message cannot be sent in that version."""


class UnsupportedVersionError(ProtocolError):
    """The message has no such version."""
