"""Completion in a real bash: commands, options, and names that a broker knows."""

import os
import shutil
import subprocess
import time
from collections.abc import Sequence

import pytest

from chronik.cli.shell.completion import SHELLS, bootstrap_in, rejoined, wanted_names
from tests.brokers import CHRONIK, BrokerProcess
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire

NO_BROKER = "127.0.0.1:1"


def completed_in_bash(words: Sequence[str], **environ: str) -> list[str]:
    """Load the script into bash and let its function complete the last of the words."""
    bash = shutil.which("bash")
    assert bash is not None
    spelled = " ".join(f"'{word}'" for word in words)
    program = f"""
        eval "$(chronik completion bash)"
        COMP_WORDS=({spelled})
        COMP_CWORD={len(words) - 1}
        _chronik_completion chronik
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    path = f"{CHRONIK.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [bash, "--norc", "--noprofile", "-c", program],
        env={**os.environ, "PATH": path, **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_commands_and_options_are_completed() -> None:
    assert completed_in_bash(["chronik", "doc"]) == ["doctor"]
    assert completed_in_bash(["chronik", "topic", "des"]) == ["describe"]
    assert "--bootstrap" in completed_in_bash(["chronik", "topic", "describe", "--"])


def test_names_of_topics_are_completed_from_the_broker(shared_broker: BrokerProcess, topic_name: str) -> None:
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
    begun = topic_name[:-3]
    host, _, port = shared_broker.bootstrap.partition(":")
    for words, bootstrap in (
        (["chronik", "topic", "describe", begun], shared_broker.bootstrap),
        (["chronik", "topic", "delete", "-b", host, ":", port, begun], NO_BROKER),
    ):
        # The key is pressed again where a busy machine did not answer in the time that completion takes at most.
        wait_until(
            lambda words=words, bootstrap=bootstrap: (  # type: ignore[misc]
                completed_in_bash(words, CHRONIK_BOOTSTRAP=bootstrap) == [topic_name]
            ),
            60,
            f"{' '.join(words)} is completed",
        )


def test_without_a_broker_there_are_no_names_and_no_wait() -> None:
    started = time.monotonic()
    assert completed_in_bash(["chronik", "topic", "describe", ""], CHRONIK_BOOTSTRAP=NO_BROKER) == []
    # A client without a limit of its own would try for a minute.
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("shell", SHELLS)
def test_script_is_printed_for_each_shell_and_says_which_program_it_asks(shell: str) -> None:
    done = subprocess.run([str(CHRONIK), "completion", shell], capture_output=True, text=True, timeout=60, check=True)
    assert f"_CHRONIK_COMPLETE={shell}_complete" in done.stdout


def test_help_says_how_it_is_installed_and_an_unknown_shell_is_wrong_use() -> None:
    help_text = subprocess.run(
        [str(CHRONIK), "completion", "--help"], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    assert 'eval "$(chronik completion bash)"' in help_text
    assert subprocess.run([str(CHRONIK), "completion", "csh"], capture_output=True, check=False).returncode == 3


@pytest.mark.parametrize(
    ("args", "noun"),
    [
        (["topic", "describe"], "topic"),
        (["-X", "a=b", "topic", "consume", "one"], "topic"),
        (["group", "seek"], "group"),
        (["topic", "create"], None),
        (["topic"], None),
        (["topic", "consume", "--count"], None),
        (["serve"], None),
        ([], None),
    ],
)
def test_names_belong_after_some_commands_only(args: list[str], noun: str | None) -> None:
    assert wanted_names(args) == noun


def test_words_that_bash_has_taken_apart_are_put_together() -> None:
    taken_apart = ["topic", "delete", "--bootstrap", "=", "host", ":", "9092", "name"]
    assert rejoined(taken_apart) == ["topic", "delete", "--bootstrap=host:9092", "name"]
    assert bootstrap_in(rejoined(taken_apart), "default") == "host:9092"
    assert bootstrap_in(["topic", "list", "-b", "a:1"], "default") == "a:1"
    assert bootstrap_in(["topic", "list", "-b"], "default") == "default"
    assert bootstrap_in(["topic", "list", "--bootstrap-server", "a:1"], "default") == "a:1"
    assert bootstrap_in(["topic", "list", "--bootstrap-server=a:1"], "default") == "a:1"
