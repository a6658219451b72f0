"""``-X key=value`` and other pairs on the command line."""

from collections.abc import Iterable

import click


def pairs(texts: Iterable[str], what: str = "-X") -> dict[str, str]:
    """Read KEY=VALUE arguments; all that are not are named at once."""
    split = [(text, *text.partition("=")) for text in texts]
    wrong = [text for text, key, separator, _ in split if not separator or not key.strip()]
    if wrong:
        raise click.UsageError(f"{what}: not KEY=VALUE: {', '.join(repr(text) for text in wrong)}")
    return {key.strip(): value for _, key, _, value in split}


def overrides_of(ctx: click.Context, own: Iterable[str]) -> dict[str, str]:
    """Join -X options given before the command's name with its own, which win."""
    return pairs([*(ctx.find_root().obj or ()), *own])
