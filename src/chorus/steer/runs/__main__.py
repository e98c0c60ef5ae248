"""`python -m chorus.steer.runs FOLDER [MODULE]`: becomes the holder of the run in that folder.

The caller waits for one line on its standard output, `ready` or the reason of a failure. The holder itself continues in
the background, in a session of its own, without a parent. When the run has ended and nobody watches it, the holder
starts `python -m MODULE FOLDER` as its last step.
"""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from chorus.base.sealed_imports import seal_imports
from chorus.base.shield import raise_shield, tracer

_PATIENCE_S = 2.0


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]).absolute()
    # Before the fork: a process that could look into this one until now has no access to the memory of its child.
    raise_shield()
    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8", errors="replace") as words:
            word = words.read()
        sys.stdout.write(word or f"the holder died at once: {_last_log_line(folder)}")
        sys.stdout.flush()
        return 0 if word == "ready" else 1
    os.close(reader)
    os.setsid()
    _leave_terminal(folder)
    _hold(folder, writer, *arguments[1:2])
    return 0


def _leave_terminal(folder: Path) -> None:
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    sys.stdout.flush()
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.close(log)
    os.close(nothing)


def _last_log_line(folder: Path) -> str:
    try:
        lines = (folder / "log").read_text("utf-8", "replace").split("\n")
    except OSError as error:
        return str(error)
    return next((line for line in reversed(lines) if line.strip()), "it said nothing")


def _hold(folder: Path, writer: int, then: str = "") -> None:
    import resource  # noqa: F401 - the vault needs it later, when nothing is imported any more

    from chorus.core.protocol.environment import environment
    from chorus.core.protocol.launch import arguments
    from chorus.core.records.times import wire_time
    from chorus.errors import ChorusError
    from chorus.keep.sources.discover import config_folder
    from chorus.keep.vault.files import FileVault
    from chorus.steer.approvals import signing
    from chorus.steer.client_settings.pinning import PinnedSettings
    from chorus.steer.hooks.home import Home
    from chorus.steer.runs import warden
    from chorus.steer.runs.approvals import LedgerApprovals
    from chorus.steer.runs.client import ClientProcess
    from chorus.steer.runs.containment import Places, command
    from chorus.steer.runs.holder import Holder
    from chorus.steer.runs.pipe_recorder import PipeRecorder
    from chorus.steer.runs.run_budgets import RunBudgets
    from chorus.steer.runs.run_folders import RunFolder
    from chorus.steer.runs.run_snapshots import snapshots_of_run
    from chorus.steer.runs.run_socket import RunSocket
    from chorus.steer.runs.starting import find_containment, start_detached

    def clock() -> str:
        return wire_time(datetime.now(UTC))

    def report(word: str) -> None:
        os.write(writer, word.encode())
        os.close(writer)

    if watcher := tracer():
        report(f"process {watcher} debugs the holder, and could answer in its place: nothing was started")
        return
    place = RunFolder(folder)
    run = place.read()
    if run is None:
        report(f"{folder}: no run is described there")
        return
    if place.hold(_PATIENCE_S) is None:
        report(f"{folder}: this run is held already")
        return
    warden.adopt_orphans()
    try:
        vault = FileVault(Path(run.vault))
        vault.refuse_if_too_new()
        approvals = LedgerApprovals(run, clock)
        pinned = PinnedSettings(Path(run.path), hook_program=Home(folder.parent.parent).program)
        run_socket = RunSocket(folder)
        call = [run.program, *arguments(run.launch)]
        if run.contain is not None:
            places = Places(
                workspace=Path(run.path),
                home=Path.home(),
                config=config_folder(),
                program=Path(run.program),
                private=folder / "home",
                hidden=(folder.parent.parent, Path(run.vault), Path(run.state)),
            )
            call = command(find_containment(), run.contain, places, call)
        signing.load_library()
        # From here on an agent works, who could write to the files of this program.
        seal_imports()
        client = ClientProcess(
            call,
            cwd=run.path,
            environment=environment(os.environ, named=run.environment, run=run.id),
        )
    except (ChorusError, OSError) as error:
        report(str(error))
        return
    run.holder, run.warden = os.getpid(), client.warden
    run.sessions = run.sessions or [run.launch.session]
    place.write(run)
    recorder = PipeRecorder(vault, run, clock)
    snapshots = snapshots_of_run(folder.parent.parent, run, recorder)
    budgets = RunBudgets(run, recorder, lambda: approvals.approvers, folder.parent.parent)
    holder = Holder(place, run, client, run_socket, recorder, approvals, pinned, snapshots, budgets)
    report("ready")
    holder.hold()
    vault.close()
    if then and not holder.is_watched:
        try:
            start_detached(then, folder)
        except OSError as error:
            # The run has ended and is recorded: the next sync imports it.
            sys.stderr.write(f"{then} cannot be started: {error}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
