"""The import contracts leave no module out, and hold."""

import configparser
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
METADATA = ROOT / "src" / "chronik" / "metadata"
ACT_ON_THE_WORLD = {"catalog", "stores"}


def modules_listed(contract: str) -> set[str]:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    return set(contracts[f"importlinter:contract:{contract}"]["source_modules"].split())


def test_every_part_of_the_metadata_is_pure_or_known_to_act() -> None:
    parts = {path.stem for path in METADATA.iterdir()} - {"__init__", "__pycache__"}
    pure = {name.removeprefix("chronik.metadata.") for name in modules_listed("pure-cores") if "metadata" in name}
    assert pure.isdisjoint(ACT_ON_THE_WORLD)
    assert parts - ACT_ON_THE_WORLD == pure


def test_the_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stdout
