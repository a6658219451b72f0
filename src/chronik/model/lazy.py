"""Names of a package that are loaded at their first use, so that importing the package stays cheap."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def load(module: str, name: str) -> Any:
    """Import a module and return one of its names."""
    return getattr(import_module(module), name)


def lazy_names(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose names are defined in these modules."""

    def load_name(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return load(modules[name], name)

    def list_names() -> list[str]:
        return sorted([*vars(import_module(package)), *modules])

    return load_name, list_names
