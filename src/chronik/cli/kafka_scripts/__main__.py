"""Where the installed scripts enter: ``python -m chronik.cli.kafka_scripts kafka-topics.sh --list ...``."""

import os
import sys

from chronik.cli.kafka_scripts.tools import TOOLS, run_script


def main() -> int:
    """Run the tool that is named first."""
    if len(sys.argv) < 2 or sys.argv[1] not in TOOLS:
        sys.stderr.write(f"usage: python -m chronik.cli.kafka_scripts {{{'|'.join(TOOLS)}}} ...\n")
        return 1
    try:
        code = run_script(sys.argv[1], sys.argv[2:])
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the output has closed it: the interpreter must not report that at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


sys.exit(main())
