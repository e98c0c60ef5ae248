"""Starts a run: finds and checks the client, writes the run to disk, and starts a holder for it."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from chorus.core.protocol.environment import environment
from chorus.core.protocol.launch import OLDEST_CLIENT, version_in
from chorus.errors import ChorusError
from chorus.steer.runs import contained, containment
from chorus.steer.runs.run_folders import Run, RunFolder

PROGRAM = "claude"
_PATIENCE_S = 60.0


def find_client(named: str | None = None) -> str:
    """Returns the client's binary: the named one, or the first `claude` on PATH.

    Raises `ChorusError` if it is missing.
    """
    found = shutil.which(named or PROGRAM)
    if found is None and named:
        raise ChorusError(f"{named}: no program; name the client's binary, or leave it out to use the one on PATH")
    if found is None:
        raise ChorusError(
            "no `claude` on PATH: install Claude Code (https://claude.com/claude-code), or name the binary: "
            "`chorus config set client PATH`"
        )
    return str(Path(found).absolute())


def version_of(program: str) -> tuple[int, int, int]:
    """Returns the version of a client. Raises `ChorusError` if it has none or is too old."""
    try:
        done = subprocess.run(  # noqa: S603 - a list, and no shell
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd="/",
            env=environment(os.environ),
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ChorusError(f"{program}: does not say its version: {error}; is it Claude Code?") from error
    version = version_in(done.stdout.decode("utf-8", "replace"))
    if version is None:
        said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())[:200]
        raise ChorusError(f"{program}: does not say its version ({said or 'it says nothing'}); is it Claude Code?")
    if version < OLDEST_CLIENT:
        here, oldest = ".".join(map(str, version)), ".".join(map(str, OLDEST_CLIENT))
        raise ChorusError(f"{program} is {here}, and Chorus runs {oldest} or newer: run `claude update`")
    return version


def find_containment() -> str:
    """Returns the path of bubblewrap after a trial. Raises `ChorusError` if containment does not work here."""
    found = shutil.which(containment.PROGRAM)
    if sys.platform != "linux" or found is None:
        raise ChorusError(
            "containment needs bubblewrap, on Linux: install it (`apt install bubblewrap`, `dnf install bubblewrap`), "
            "or start the run without --contain"
        )
    if platform.machine() not in contained.MACHINES:
        raise ChorusError(f"containment is not known on {platform.machine()}; start the run without --contain")
    try:
        done = subprocess.run(  # noqa: S603 - a list, and no shell
            containment.probe(found), capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ChorusError(f"{found}: {error}; nothing can be contained here") from error
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[-300:]
        raise ChorusError(f"{found} cannot contain anything here ({said}): are user namespaces allowed?")
    return found


def start_detached(module: str, folder: Path) -> None:
    """Runs a module with the folder of a run as its argument and does not wait for it.

    It outlives this process, in a session of its own; its output goes where the output of this process goes. Raises
    `OSError` if it cannot start.
    """
    subprocess.Popen(  # noqa: S603 - a list, and no shell
        [sys.executable, "-P", "-m", module, str(folder)], stdin=subprocess.DEVNULL, cwd="/", start_new_session=True
    )


def start(folder: RunFolder, run: Run, *, then: str = "") -> None:
    """Writes the run to disk and starts its holder; on return its socket is open and the client is starting.

    `then` is a module that the holder runs with the folder as its argument if nobody watches the run when it ends.
    """
    if not Path(run.path).is_dir():
        raise ChorusError(f"{run.path}: the workspace is gone; `chorus workspace list` names those there are")
    folder.write(run)
    try:
        done = subprocess.run(  # noqa: S603 - a list, and no shell
            [sys.executable, "-P", "-m", "chorus.steer.runs", str(folder.path), *([then] if then else [])],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd="/",
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ChorusError(f"the run cannot be held: {error}") from error
    if done.returncode:
        said = " ".join((done.stdout or done.stderr).decode("utf-8", "replace").split())[-500:]
        shutil.rmtree(folder.path, ignore_errors=True)
        raise ChorusError(f"the run was not started: {said}")
