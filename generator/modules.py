"""Writes one module of the codec: the classes of an API's messages, and their decoders and encoders."""

import re

from generator.decoding import DecoderSource
from generator.encoding import EncoderSource
from generator.jar import KAFKA_VERSION
from generator.lines import format_name
from generator.schema import Message, Struct, snake_case
from generator.values import FRESH, default_of, is_fresh, python_type

HEADER = f'''"""{{title}}

Generated from the message definitions of {{artifact}} {KAFKA_VERSION} by ``python -m generator``: do not edit.
"""
'''
_NAME = re.compile(r"[A-Za-z_]\w*")


def module_name(api_name: str) -> str:
    return snake_case(api_name)


def module_source(api_name: str, messages: list[Message], artifact: str) -> str:
    """The whole text of the module for one API."""
    bodies: list[str] = []
    formats: set[tuple[str, str]] = set()
    written: set[str] = set()
    for message in messages:
        structs = [struct for struct in (*message.structs, message.root) if struct.name not in written]
        written |= {struct.name for struct in structs}
        bodies += [_class_source(struct, message) for struct in structs]
        for prefix, source in (("decode", DecoderSource), ("encode", EncoderSource)):
            text, used = _functions(message, prefix, source)
            bodies.append(text)
            formats |= used
    body = "\n".join(bodies)
    title = f"{api_name}: " + " and ".join(_title(message) for message in messages) + "."
    head = HEADER.format(title=title, artifact=artifact)
    return f"{head}{_imports(body, formats)}\n{_formats(formats)}\n{body}"


def _title(message: Message) -> str:
    versions = message.versions
    return f"{message.kind} in versions {versions.low} to {versions.high}"


def _imports(body: str, formats: set[tuple[str, str]]) -> str:
    used = set(_NAME.findall(body)) | ({"Packing"} if formats else set())
    names = [name for name in _RUNTIME if name in used]
    typing = "from typing import ClassVar\n"
    return f"{typing}\nfrom chronik.protocol.wire import {', '.join(names)}\n"


_RUNTIME = [
    "FRESH",
    "NO_UUID",
    "U8",
    "UUID",
    "UUIDS",
    "Message",
    "Packing",
    "Records",
    "Struct",
    "beyond",
    "new",
    "null",
    "pack",
    "size_of",
    "skip_tags",
    "tagged",
    "unpack_from",
    "unsupported",
    "unused",
    "uuid_of",
    "varint",
    "varint_rest",
]


def _formats(formats: set[tuple[str, str]]) -> str:
    methods = {"U": "unpack_from", "P": "pack"}
    return "".join(
        f"{format_name(prefix, form)} = Packing('>{form}').{methods[prefix]}\n" for prefix, form in sorted(formats)
    )


def _class_source(struct: Struct, message: Message) -> str:
    is_root = struct is message.root
    names = "".join(f"{field.name!r}, " for field in struct.fields)
    lines = [f"\nclass {struct.name}({'Message' if is_root else 'Struct'}):", f" __slots__ = ({names})"]
    if is_root:
        lines += _constants(message)
    lines += [f" {field.name}: {python_type(field)}" for field in struct.fields]
    lines += _initializer(struct)
    return "\n".join(lines) + "\n"


def _constants(message: Message) -> list[str]:
    first_flexible: int | None = max(message.flexible.low, message.versions.low)
    if not set(message.flexible_versions()):
        first_flexible = None
    return [
        f" api_key: ClassVar[int] = {-1 if message.api_key is None else message.api_key}",
        f" versions: ClassVar[range] = range({message.versions.low}, {message.versions.high + 1})",
        f" first_flexible: ClassVar[int | None] = {first_flexible}",
    ]


def _initializer(struct: Struct) -> list[str]:
    if not struct.fields:
        return []
    parameters = ", ".join(
        f"{field.name}: {python_type(field)} = {FRESH if is_fresh(field) else default_of(field)}"
        for field in struct.fields
    )
    lines = [f" def __init__(self, {parameters}) -> None:"]
    for field in struct.fields:
        value = field.name
        if is_fresh(field):
            value = f"{default_of(field)} if {value} is FRESH else {value}"
        lines.append(f"  self.{field.name} = {value}")
    return lines


def _functions(
    message: Message, prefix: str, source: type[DecoderSource] | type[EncoderSource]
) -> tuple[str, set[tuple[str, str]]]:
    """One function for each different version, and the table that finds it."""
    texts: dict[tuple[str, ...], str] = {}
    table: list[str] = []
    formats: set[tuple[str, str]] = set()
    out: list[str] = []
    for version in message.versions:
        lines = source(message, version).write()
        formats |= lines.formats
        key = tuple(lines.text)
        if key not in texts:
            texts[key] = f"_{prefix}_{snake_case(message.name)}_{version}"
            out += [f"def {texts[key]}({_PARAMETERS[prefix]}):", *lines.text]
        table.append(f"{version}: {texts[key]}")
    out.append(f"{message.name}.{prefix}rs = {{{', '.join(table)}}}")
    return "\n".join(out) + "\n", formats


_PARAMETERS = {"decode": "view, size", "encode": "m"}
