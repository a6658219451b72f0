"""``chronik completion``: prints what makes a shell complete commands, options, and names of topics and groups.

Nothing is installed. Names are asked of the broker that the line names, or else the default one, and only for as long
as nobody notices: without a broker there are simply none.
"""

import asyncio
import os
from collections.abc import Iterable, Sequence
from typing import Final

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

VARIABLE: Final = "_CHRONIK_COMPLETE"
ASK_SECONDS_MAX: Final = 0.3
SHELLS: Final = ("bash", "zsh", "fish")

_TOPIC_VERBS: Final = frozenset({"describe", "alter", "delete", "produce", "consume"})
_GROUP_VERBS: Final = frozenset({"describe", "seek", "delete"})
_HOW_TO_INSTALL: Final = """\b
To have it in every new shell:
  bash  echo 'eval "$(chronik completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(chronik completion zsh)"' >> ~/.zshrc      (after compinit)
  fish  chronik completion fish > ~/.config/fish/completions/chronik.fish"""


@click.command(epilog=_HOW_TO_INSTALL)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes a shell complete chronik's commands; it installs nothing."""
    kind = get_completion_class(shell)
    assert kind is not None, "every shell of the choice is known to click"
    click.echo(kind(ctx.find_root().command, {}, "chronik", VARIABLE).source())


def offer_names() -> None:
    """Let completion offer names of topics and groups, too."""
    for kind in (_Bash, _Zsh, _Fish):
        add_completion_class(kind)


class _WithNames(ShellComplete):
    """Asks a broker where click has nothing to offer."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Complete commands and options first, and then names."""
        args = rejoined(args)
        found = super().get_completions(args, incomplete)
        if found or incomplete.startswith("-"):
            return found
        return [CompletionItem(name) for name in _names(args) if name.startswith(incomplete)]


class _Bash(_WithNames, BashComplete):
    pass


class _Zsh(_WithNames, ZshComplete):
    pass


class _Fish(_WithNames, FishComplete):
    pass


def rejoined(words: Sequence[str]) -> list[str]:
    """Undo what bash does to ``host:port`` and ``--option=value``, which it takes for three words each."""
    joined: list[str] = []
    is_open = False
    for word in words:
        is_joint = word in (":", "=")
        if joined and (is_joint or is_open):
            joined[-1] += word
        else:
            joined.append(word)
        is_open = is_joint
    return joined


def wanted_names(args: Sequence[str]) -> str | None:
    """Return whether ``topic`` or ``group`` names belong after these words, or neither."""
    if args[-1:] and args[-1].startswith("-"):
        # The value of an option, which is no name.
        return None
    for noun, verbs in (("topic", _TOPIC_VERBS), ("group", _GROUP_VERBS)):
        if noun in args[:-1] and args[args.index(noun) + 1] in verbs:
            return noun
    return None


_BOOTSTRAP: Final = ("-b", "--bootstrap", "--bootstrap-server")
_BOOTSTRAP_WITH_VALUE: Final = ("--bootstrap=", "--bootstrap-server=")


def bootstrap_in(args: Sequence[str], default: str) -> str:
    """Find the brokers that a line names."""
    for position, word in enumerate(args):
        if word in _BOOTSTRAP and position + 1 < len(args):
            return args[position + 1]
        if word.startswith(_BOOTSTRAP_WITH_VALUE):
            return word.partition("=")[2]
    return default


def _names(args: Sequence[str]) -> Iterable[str]:
    noun = wanted_names(args)
    if noun is None:
        return ()
    from chronik.cli.shell.options import DEFAULT_BOOTSTRAP

    bootstrap = bootstrap_in(args, os.environ.get("CHRONIK_BOOTSTRAP", DEFAULT_BOOTSTRAP))
    try:
        return asyncio.run(_ask(noun, bootstrap))
    except Exception:  # noqa: BLE001 - a line that is being typed is no place for messages
        return ()


async def _ask(noun: str, bootstrap: str) -> list[str]:
    from chronik.client.admin import Admin
    from chronik.client.cluster import Cluster
    from chronik.client.groups.admin import GroupAdmin
    from chronik.client.settings import ClientSettings

    async with asyncio.timeout(ASK_SECONDS_MAX), Cluster(bootstrap, ClientSettings()) as cluster:
        if noun == "topic":
            return sorted(topic.name for topic in await Admin(cluster).list_topics() if not topic.is_internal)
        return sorted(listing.group for listing in await GroupAdmin(cluster).list_groups())
