"""Kills a process at a random moment: for programs that fork, which no test does in its own process."""

import os
import random
import select
import signal
from collections.abc import Callable

MOMENTS_S = (0.0003, 0.001, 0.003, 0.01)


def kill_one(act: Callable[[int], object], chance: random.Random, *, most_lines: int) -> list[bytes]:
    """Let one child live for a moment; gives the whole lines it wrote to the descriptor that `act` gets.

    Some die at once, most at a random moment after some line of theirs, the `most_lines`th at the latest.
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
