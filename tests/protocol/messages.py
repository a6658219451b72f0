"""Every message that the codec has, found in its generated modules."""

import importlib
import pkgutil

from chronik.protocol import generated
from chronik.protocol.apis import SERVED
from chronik.protocol.wire import Message


def all_messages() -> list[type[Message]]:
    for module in pkgutil.iter_modules(generated.__path__):
        importlib.import_module(f"{generated.__name__}.{module.name}")
    return sorted(Message.__subclasses__(), key=lambda message: message.__name__)


def wire_messages() -> list[type[Message]]:
    """Those that are sent; the others are keys and values of records, which have judges of their own."""
    return [message for message in all_messages() if not message.__module__.endswith("_record")]


def served_messages() -> list[type[Message]]:
    return [message for api in SERVED.values() for message in (api.request, api.response)]
