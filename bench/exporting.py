"""Exports of one session: the time of the command beside another program, and the size of the file beside its text."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench import corpora, peers
from bench.measure import Figure, in_turns
from chorus.show.exports.html_file import read_bundle

MEGABYTES = 4
MIN_FASTER, MAX_SIZE = 5.0, 1.3


def figures(rounds: int) -> Iterator[Figure]:
    """Yields how much faster than claude-code-log a page is made, and how large it is beside the text in it."""
    session = _session()
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "CHORUS_HOME": f"{folder}/home", "HOME": folder}
        projects = Path(folder, "claude", "projects", "p")
        projects.mkdir(parents=True)
        name = session.stem
        (projects / session.name).write_bytes(session.read_bytes())
        chorus = [sys.executable, "-m", "chorus"]
        subprocess.run([*chorus, "sync", f"{folder}/claude"], env=env, capture_output=True, check=True)
        page, text = Path(folder, "page.html"), Path(folder, "text.md")
        export = [*chorus, "export", name, "--yes", "--force", "-o"]

        def own(*options: str) -> None:
            subprocess.run([*export, str(page), "--html", *options], env=env, capture_output=True, check=True)

        runs = {"own": own, "own, not redacted": lambda: own("--no-redact")}
        program = peers.find(peers.CLAUDE_CODE_LOG, "claude-code-log")
        if program:
            runs["theirs"] = lambda: peers.claude_code_log(program, session, Path(folder))
        took = in_turns(runs, rounds, time.perf_counter)
        own()
        subprocess.run([*export, str(text), "--markdown"], env=env, capture_output=True, check=True)
        if program:
            faster = took["theirs"] / took["own"]
            detail = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in took.items())
            yield Figure("export of a page", faster, f"≥ {MIN_FASTER}", faster >= MIN_FASTER, detail)
        else:
            print(f"{'skipped':8}{'':10}  {'':8}  export of a page (claude-code-log is not here)")
        bundle = read_bundle()
        application = len(bundle.script.encode()) + len(bundle.style.encode())
        sizes = page.stat().st_size, text.stat().st_size
        ratio = (sizes[0] - application) / sizes[1]
        detail = (
            f"session {session.stat().st_size / 1e6:.2f} MB, its text {sizes[1] / 1e6:.2f} MB, "
            f"file {sizes[0] / 1e6:.2f} MB with {application / 1e6:.2f} MB of application"
        )
        yield Figure("size of a page", ratio, f"≤ {MAX_SIZE}", ratio <= MAX_SIZE, detail)


def _session() -> Path:
    """Returns the session that is nearest to four megabytes: a recorded one if there are any."""
    folder = corpora.RECORDINGS if corpora.RECORDINGS.is_dir() else corpora.made_up(60)
    files = [Path(name) for name in corpora.session_files(folder)]
    return min(files, key=lambda path: abs(path.stat().st_size - MEGABYTES * 1_000_000))
