"""A word count in Quix Streams: lines in, counts out, the state in RocksDB with a changelog topic.

usage: quix_word_count.py BOOTSTRAP STATE_DIRECTORY
"""

import sys

from quixstreams import Application, State


def count(word: str, state: State) -> dict[str, object]:
    """Count one more of a word; the state is that of the word's key."""
    total = state.get("count", 0) + 1
    state.set("count", total)
    return {"word": word, "count": total}


def main(bootstrap: str, state_directory: str) -> None:
    app = Application(
        broker_address=bootstrap,
        consumer_group="quix-word-count",
        auto_offset_reset="earliest",
        state_dir=state_directory,
        commit_interval=0.5,
        processing_guarantee="at-least-once",
    )
    lines = app.topic("lines", value_deserializer="str")
    counts = app.topic("quix-counts", value_serializer="json")
    words = app.dataframe(lines).apply(str.split, expand=True)
    words.group_by(lambda word: word, name="word").apply(count, stateful=True).to_topic(counts)
    app.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
