"""Kills a process at a random moment, for programs that fork, because no test forks in its own process."""

import os
import random
import select
import signal
from collections.abc import Callable

MOMENTS_S = (0.0003, 0.001, 0.003, 0.01)


def kill_one(act: Callable[[int], object], chance: random.Random, *, most_lines: int) -> list[bytes]:
    """Runs `act` in a child for a moment, kills it, and returns the complete lines that it wrote.

    `act` gets the descriptor to write to. Some children die at once, most at a random moment after one of their lines,
    at the latest after line `most_lines`.
    """
    said, say = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(said)
            act(say)
        finally:
            os._exit(1)
    os.close(say)
    heard = b""
    lines = chance.randrange(most_lines + 1)
    while heard.count(b"\n") < lines:
        heard += os.read(said, 1_000)
    select.select([], [], [], chance.choice(MOMENTS_S) * chance.random())
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the child ended by itself"
    with os.fdopen(said, "rb") as file:
        heard += file.read()
    return heard.split(b"\n")[:-1]
