"""How each client of the matrix is started, and what it needs that may not be installed."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests import kafka_tools
from tests.matrix.capabilities import Client
from tests.matrix.kcat_client import KcatClient
from tests.matrix.program import PROGRAMS, ClientProgram, MatrixClient

CACHE: Final = Path(__file__).resolve().parent.parent.parent / ".cache" / "clients"
KAFKA_PYTHON_2: Final = CACHE / "kafka-python-2" / "bin" / "python"
SPARK: Final = CACHE / "spark" / "bin" / "python"
SPARK_JARS: Final = CACHE / "spark-jars"
NODE_MODULES: Final = CACHE / "node" / "node_modules"
REMEDY: Final = "make .cache/test-tools.ready"


@dataclass(frozen=True, slots=True)
class Recipe:
    """The command of a client's program, and the files without which it cannot run."""

    command: tuple[str, ...]
    needs: tuple[Path, ...] = ()
    programs: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)

    def missing(self) -> str | None:
        """What is not installed, with the command that installs it."""
        absent = [name for name in self.programs if shutil.which(name) is None]
        absent += [str(path) for path in self.needs if not path.exists()]
        return f"not installed: {', '.join(absent)}. To install it: {REMEDY}" if absent else None


def _python(script: str, interpreter: str | Path = sys.executable) -> tuple[str, ...]:
    return (str(interpreter), str(PROGRAMS / script))


def _node(script: str, package: str) -> Recipe:
    return Recipe(
        ("node", str(PROGRAMS / script)), (NODE_MODULES / package,), ("node",), {"NODE_PATH": str(NODE_MODULES)}
    )


def _java() -> Recipe:
    command = ("java", *kafka_tools.JVM_OPTIONS, "-cp", f"{kafka_tools.LIBS}/*", str(PROGRAMS / "JavaClient.java"))
    return Recipe(command, (kafka_tools.CLIENTS_JAR,), ("java",))


RECIPES: Final[dict[Client, Recipe]] = {
    Client.CONFLUENT: Recipe(_python("confluent_program.py")),
    Client.KAFKA_PYTHON: Recipe(_python("kafka_python_program.py")),
    Client.KAFKA_PYTHON_2: Recipe(_python("kafka_python_2_program.py", KAFKA_PYTHON_2), (KAFKA_PYTHON_2,)),
    Client.AIOKAFKA: Recipe(_python("aiokafka_program.py")),
    Client.KCAT: Recipe(("kcat",), programs=("kcat",)),
    Client.KAFKAJS: _node("kafkajs_program.js", "kafkajs"),
    Client.CONFLUENT_JS: _node(
        "confluent_javascript_program.js",
        "@confluentinc/kafka-javascript/build/Release/confluent-kafka-javascript.node",
    ),
    Client.JAVA: _java(),
    Client.SPARK: Recipe(
        _python("spark_program.py", SPARK),
        (SPARK, SPARK_JARS),
        ("java",),
        # Its workers are of its own environment, whatever a session in this process has set for its own.
        {"CHRONIK_SPARK_JARS": str(SPARK_JARS), "PYSPARK_PYTHON": str(SPARK), "PYSPARK_DRIVER_PYTHON": str(SPARK)},
    ),
}

StartClient = Callable[[], MatrixClient]


def start(client: Client, bootstrap: str, directory: Path) -> MatrixClient:
    """Start a client's program; its words go to a file in the directory."""
    log = directory / f"{client.name.lower()}.log"
    if client is Client.KCAT:
        return KcatClient(bootstrap, log)
    recipe = RECIPES[client]
    return ClientProgram(recipe.command, bootstrap, log, {**os.environ, **recipe.environment})
