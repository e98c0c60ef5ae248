"""Appends to sessions while a test looks at them."""

import json
from datetime import timedelta
from itertools import count
from pathlib import Path

from chorus.testing.builders import Session
from chorus.testing.builders.lines import Ids
from tests.e2e.support import worlds
from tests.e2e.support.serving import Serving

_times = count()


def path_of(serving: Serving, session_id: str) -> Path:
    """Returns the main file of a session in the client's folder."""
    (path,) = serving.claude.glob(f"projects/*/{session_id}.jsonl")
    return path


def going_on(serving: Serving, session_id: str) -> Session:
    """Returns a session that continues at the end of its file; the test appends its new lines with `append`."""
    chain = [json.loads(line) for line in path_of(serving, session_id).read_bytes().splitlines()]
    last = [line for line in chain if "uuid" in line][-1]
    made = worlds.session(session_id, ago=timedelta(seconds=1), cwd=last["cwd"], branch=last["gitBranch"])
    made.ids = Ids(f"{session_id} goes on, {next(_times)}")
    made.leaf = last["uuid"]
    return made
