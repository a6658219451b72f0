"""A run on a real cluster whose surroundings a test changes meanwhile, and the command's judgement of it."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from chronik.audit.capture.run import Progress, run_audit
from chronik.audit.capture.settings import RunSettings
from chronik.audit.report.exit_codes import ExitCode
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.schemas import AS_CLIENTS_SEE_IT
from chronik.cli.audit.verify import verify

GROUP = "readers"
MESSAGES = 1200
RATE = 400.0
RUN = 77
WAIT_S_MAX = 60.0


@dataclass
class Running:
    """A run whose surroundings the test changes while it goes on."""

    settings: RunSettings
    directory: Path
    progress: list[Progress] = field(default_factory=list)

    @property
    def is_sending(self) -> bool:
        return bool(self.progress) and self.progress[-1].phase == "sending"

    @property
    def acked(self) -> int:
        return self.progress[-1].acked if self.progress else 0

    async def during(self, meanwhile: Callable[["Running"], Awaitable[None]]) -> None:
        """Run; as soon as messages go, do something beside, and fail if that fails."""
        running = asyncio.create_task(
            run_audit(self.settings, self.directory, run=RUN, on_progress=self.progress.append)
        )
        try:
            await self.until(lambda: self.is_sending or running.done(), "messages go")
            await meanwhile(self)
            await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def until_acked(self, count: int) -> None:
        """Wait until so many are acknowledged, or all are sent."""
        await self.until(lambda: self.acked >= count or not self.is_sending, "messages go on")

    async def until(self, is_so: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + WAIT_S_MAX
        while not is_so():
            assert time.monotonic() < deadline, f"never: {what}"
            await asyncio.sleep(0.02)


def settings_for(bootstrap: str, topic: str, **more: Any) -> RunSettings:
    plain = RunSettings(
        bootstrap=bootstrap,
        topic=topic,
        messages=MESSAGES,
        rate=RATE,
        acks="all",
        idempotent=True,
        group=GROUP,
        keys=50,
        timeout_s=WAIT_S_MAX,
    )
    return replace(plain, **more)


def judged(directory: Path, *more: str, messages: int = MESSAGES) -> dict[str, dict[str, int]]:
    """Judge by the command; nothing may be found that is not allowed. Give each group's verdicts and flags."""
    given = ["--ledger", str(directory), "--engine", "local", "--json", *more]
    result = CliRunner().invoke(verify, given, standalone_mode=False)
    assert result.exception is None, result.output
    report = json.loads(result.stdout)
    told = (report["headline"], report["findings"], report["messages"]["first"][:5])
    assert [one for one in report["findings"] if not one["is_allowed"]] == [], told
    assert (result.return_value, report["notes"]) == (ExitCode.NOTHING_DISALLOWED, []), told
    groups = {}
    for group in report["groups"]:
        rows = [row for row in group["verdicts"] if row["count"]]
        assert all(row["count"] == row["allowed"] for row in rows), told
        assert sum(row["count"] for row in rows if row["verdict"][0] not in "+*") == messages, told
        groups[group["group"]] = {row["verdict"]: row["count"] for row in rows}
    return groups


def stored_now(directory: Path) -> int:
    """Say how many records the leaders' logs had, as clients see them, when they were last read."""
    nodes: list[int] = Evidence(directory).stored["node"].to_pylist()
    return nodes.count(AS_CLIENTS_SEE_IT)


def ends_of(directory: Path) -> dict[int, int]:
    """Give the end of what was acknowledged in each partition."""
    ends: dict[int, int] = {}
    for row in Evidence(directory).sends.to_pylist():
        ends[row["partition"]] = max(ends.get(row["partition"], 0), row["offset"] + 1)
    return ends
