"""Telling the service manager how the broker is (the protocol of ``sd_notify``)."""

import logging
import os
import socket

log = logging.getLogger(__name__)


def notify(state: str) -> None:
    """Send ``READY=1``, ``STOPPING=1`` and the like to whoever started us, if they listen."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # A leading '@' stands for an address in the abstract namespace.
    target = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.sendto(state.encode(), target)
    except OSError as error:
        log.warning("the service manager at %s could not be told %r: %s", address, state, error)
