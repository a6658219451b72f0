"""Frames that are almost right: mutated from sound ones, by a seed."""

import socket
from collections.abc import Iterator
from random import Random
from struct import Struct
from typing import Final
from uuid import UUID

from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.frames import encode_request
from tests.regressions.requests_of_each_api import ASK

SIZE: Final = Struct(">i")
NASTY: Final = [
    b"\x7f\xff\xff\xff",
    b"\x80\x00\x00\x00",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x00\x00\x00\x00",
    b"\x00\x0f\x42\x40",
    b"\x7f\xff",
    b"\xff",
    b"\x00",
]
"""Counts, lengths and varints that no frame can hold, and those that mean null or nothing."""


def sound_frames(key: ApiKey, topic: str, topic_id: UUID) -> list[bytes]:
    """One sound request of an API in each version, without its size."""
    api = SERVED[key]
    return [
        b"".join(encode_request(api, version, 7, "fuzz", ASK[key](topic, topic_id, version)))[SIZE.size :]
        for version in range(api.version_min, api.version_max + 1)
    ]


def mutated(frame: bytes, dice: Random) -> bytes:
    """Change a frame in one to four places."""
    content = bytearray(frame)
    for _ in range(dice.randrange(1, 5)):
        # Mostly behind API key and version, so that the body is reached.
        at = dice.randrange(4 if dice.random() < 0.95 else 0, max(len(content), 5))
        kind = dice.randrange(6)
        nasty = dice.choice(NASTY)
        if kind == 0:
            content[at : at + 1] = bytes([dice.randrange(256)])
        elif kind == 1:
            content[at : at + len(nasty)] = nasty
        elif kind == 2:
            content[at:at] = nasty
        elif kind == 3:
            del content[at:]
        elif kind == 4:
            del content[at : at + dice.randrange(1, 9)]
        else:
            content[at:at] = dice.randbytes(dice.randrange(1, 40))
    return bytes(content)


def fuzzed(key: ApiKey, topic: str, topic_id: UUID, dice: Random, count: int) -> Iterator[bytes]:
    """Frames with their sizes, some of which are wrong too."""
    sound = sound_frames(key, topic, topic_id)
    for _ in range(count):
        frame = dice.choice(sound)
        kind = dice.random()
        if kind < 0.8:
            frame = mutated(frame, dice)
        elif kind < 0.9:
            frame = frame[:15] + dice.randbytes(dice.randrange(200))
        size = len(frame) if dice.random() < 0.95 else dice.choice([len(frame) - 3, len(frame) + 9, 2**31 - 1, -1, 0])
        yield SIZE.pack(size) + frame


def outcome(bootstrap: str, raw: bytes, seconds_max: float) -> bytes:
    """Send bytes, say that no more will come, and give what the broker says until it closes, which it must."""
    host, _, port = bootstrap.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=seconds_max) as connection:
        answer = bytearray()
        try:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(65536):
                answer += chunk
        except (ConnectionResetError, BrokenPipeError):
            pass
        return bytes(answer)
