"""``KEY=VALUE`` pairs on the command line: client settings of ``-X``, and changes of configs."""

from collections.abc import Iterable, Mapping

import click

from chronik.protocol.config_resources import AlterConfigOp

ConfigAlteration = tuple[str, AlterConfigOp, str | None]


def pairs(texts: Iterable[str], what: str = "-X") -> dict[str, str]:
    """Read KEY=VALUE arguments; one error names all malformed ones."""
    split = [(text, *text.partition("=")) for text in texts]
    wrong = [text for text, key, separator, _ in split if not separator or not key.strip()]
    if wrong:
        raise click.UsageError(f"{what}: not KEY=VALUE: {', '.join(repr(text) for text in wrong)}")
    return {key.strip(): value for _, key, _, value in split}


def config_changes(sets: Mapping[str, str], deletes: Iterable[str]) -> list[ConfigAlteration]:
    """Return the changes that set some configs and delete others."""
    return [
        *((key, AlterConfigOp.SET, value) for key, value in sets.items()),
        *((key, AlterConfigOp.DELETE, None) for key in deletes),
    ]


def overrides_of(ctx: click.Context, own: Iterable[str]) -> dict[str, str]:
    """Join the -X options before the command's name with those after it, which win."""
    return pairs([*(ctx.find_root().obj or ()), *own])
