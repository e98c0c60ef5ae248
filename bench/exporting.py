"""Exports of one session: the time of the command beside another program, and the size of the file beside its text."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench import corpora, peers
from bench.commands import children_cpu
from bench.measure import Figure, in_turns
from chorus.show.exports.html_file import read_bundle

MEGABYTES = 4
MIN_FASTER, MAX_SIZE = 5.0, 1.3
_SESSION = re.compile(rb'"sessionId":\s*"([0-9a-f-]{36})"')


def figures(rounds: int) -> Iterator[Figure]:
    """Yields how much faster than claude-code-log a page is made, and how large it is beside the text in it."""
    (what, nearest), *others = _sessions()
    yield from _of_session(what, nearest, rounds, is_judged=True)
    for what, session in others:
        yield from _of_session(what, session, rounds, is_judged=False)


def _of_session(what: str, session: Path, rounds: int, *, is_judged: bool) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "CHORUS_HOME": f"{folder}/home", "HOME": folder}
        projects = Path(folder, "claude", "projects", "p")
        projects.mkdir(parents=True)
        data = session.read_bytes()
        # Recordings have other file names than the client gives: only with its own name an id is looked up as an id.
        found = _SESSION.search(data)
        name = found[1].decode() if found else session.stem
        (projects / f"{name}.jsonl").write_bytes(data)
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
            # Processor time too: on a busy machine, the clock says little.
            for also, clock in (("", time.perf_counter), (", processor time", children_cpu)):
                took = in_turns(runs, rounds, clock)
                faster = took["theirs"] / took["own"]
                detail = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in took.items())
                is_met = faster >= MIN_FASTER if is_judged and not also else None
                yield Figure(f"export of a page, {what}{also}", faster, f"≥ {MIN_FASTER}", is_met, detail)
        else:
            print(f"{'skipped':8}{'':10}  {'':8}  export of a page, {what} (claude-code-log is not here)")
        own()
        subprocess.run([*export, str(text), "--markdown"], env=env, capture_output=True, check=True)
        bundle = read_bundle()
        application = len(bundle.script.encode()) + len(bundle.style.encode())
        sizes = page.stat().st_size, text.stat().st_size
        ratio = (sizes[0] - application) / sizes[1]
        detail = (
            f"session {session.stat().st_size / 1e6:.2f} MB, its text {sizes[1] / 1e6:.2f} MB, "
            f"file {sizes[0] / 1e6:.2f} MB with {application / 1e6:.2f} MB of application"
        )
        is_met = ratio <= MAX_SIZE if is_judged else None
        yield Figure(f"size of a page, {what}", ratio, f"≤ {MAX_SIZE}", is_met, detail)


def _sessions() -> Iterator[tuple[str, Path]]:
    """Yields sessions of about four megabytes: the recorded one that is nearest to it and the next three, whose share
    of text differs, if there are any; and a made-up one, which is nearly all text.
    """
    if corpora.RECORDINGS.is_dir():
        yield from ((f"recording {n}", path) for n, path in enumerate(_nearest(corpora.RECORDINGS)[:4], 1))
    yield "made-up", _nearest(corpora.made_up(60))[0]


def _nearest(folder: Path) -> list[Path]:
    # States of one session that grows are not different sessions.
    files = [Path(name) for name in corpora.session_files(folder) if "growing" not in Path(name).parts]
    return sorted(files, key=lambda path: abs(path.stat().st_size - MEGABYTES * 1_000_000))
