"""``python -m generator``: write the codec and the compatibility page; ``compatibility`` writes only the page."""

import sys
from pathlib import Path

from generator.codec import codec_files, write_codec

ROOT = Path(__file__).resolve().parent.parent
CODEC = ROOT / "src" / "chronik" / "protocol" / "generated"
PAGE = ROOT / "docs" / "compatibility.md"


def write_page() -> None:
    from generator.compatibility import page

    PAGE.write_text(page())
    print(f"wrote {PAGE.relative_to(ROOT)}")


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["compatibility"]):
        print(__doc__)
        return 2
    if not arguments:
        files = codec_files()
        write_codec(CODEC, files)
        print(f"wrote {len(files)} modules to {CODEC.relative_to(ROOT)}")
    write_page()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
