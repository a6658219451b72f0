"""How a field's type and default look in Python."""

from generator.schema import INTEGERS, Field

_PLAIN_TYPES = {"bool": "bool", "float64": "float", "uuid": "UUID", "string": "str", "bytes": "bytes"}
# A default that must be a new object for each message.
FRESH = "FRESH"


def element_type(field: Field) -> str:
    if field.struct is not None:
        return field.struct.name
    if field.element in INTEGERS:
        return "int"
    return _PLAIN_TYPES[field.element]


def python_type(field: Field) -> str:
    if field.type == "records":
        return "Records"
    name = f"list[{element_type(field)}]" if field.is_array else element_type(field)
    return f"{name} | None" if field.is_ever_nullable else name


def default_of(field: Field) -> str:
    """The default as an expression that makes a new value."""
    if field.default == "null" or field.type == "records" or field.is_absent_by_default:
        return "None"
    if field.is_array:
        return "[]"
    if field.struct is not None:
        return f"{field.struct.name}()"
    return _scalar_default(field)


def _scalar_default(field: Field) -> str:
    text = field.default or ""
    match field.type:
        case "string":
            return repr(text)
        case "bytes":
            return "b''"
        case "uuid":
            return "NO_UUID"
        case "bool":
            return "True" if text == "true" else "False"
        case "float64":
            return repr(float(text or 0))
    return str(int(text or "0", 0))


def is_fresh(field: Field) -> bool:
    """Whether two messages must not share the default."""
    return default_of(field) == "[]" or default_of(field).endswith("()")


def differs_from_default(field: Field, value: str) -> str:
    """A condition that is true when ``value`` is not the field's default."""
    default = default_of(field)
    if field.is_absent_by_default:
        assert field.struct is not None
        return f"{value} is not None and {value} != {field.struct.name}()"
    if default == "None":
        return f"{value} is not None"
    if field.is_array or field.type == "bytes":
        return f"({value} is None or {value})" if field.is_ever_nullable else value
    if field.type == "uuid":
        return f"{value} is not NO_UUID and {value} != NO_UUID"
    if default == "False":
        return value
    if default == "True":
        return f"not {value}"
    return f"{value} != {default}"
