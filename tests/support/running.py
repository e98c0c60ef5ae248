"""Starts runs for tests as Chorus starts the real client; the clients are small programs or recordings."""

import json
import os
import signal
import sys
import time
import uuid
from contextlib import contextmanager
from pathlib import Path

from msgspec import structs

from chorus.core.protocol.launch import Launch
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.port import contents
from chorus.lab.fake_claude.install import install
from chorus.lab.fake_claude.settings import Settings
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Decision
from chorus.steer.approvals.signing import Signer, signed_bytes
from chorus.steer.approvals.trust import Trust
from chorus.steer.runs import messages, starting
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.run_folders import Run, Runs
from tests.steer.approvals.samples import add_approver, key

PATIENCE_S = 30
NOW = "2026-11-15T00:00:00.000Z"
WORKSPACE = "work-12345678"


def program(path: Path, body: str) -> str:
    """Writes an executable from Python text, which is called like the client."""
    path.write_text(f"#!{sys.executable}\n{body}\n")
    path.chmod(0o755)
    return str(path)


def recording(path: Path, run, **settings) -> str:
    """Writes an executable that plays the recorded output of a client."""
    lines = path.with_suffix(".jsonl")
    lines.write_bytes(bytes(run))
    install(path, Settings(recording=str(lines), speed=0, **settings))
    return str(path)


class Place:
    """A home, a workspace and a vault, all below one folder."""

    def __init__(self, folder: Path, home: Path | None = None) -> None:
        self.home = home or folder / "home"
        self.work = folder / "work"
        self.state = self.home / "state"
        self.work.mkdir(parents=True)
        self.runs = Runs(self.home)

    def start(self, client: str, *, environment=(), **more):
        """Starts a run and returns its folder."""
        folder = self.runs.new()
        run = Run(
            id=folder.path.name,
            started_at=NOW,
            path=str(self.work),
            workspace=WORKSPACE,
            agent="ada",
            launch=more.pop("launch", None) or Launch(session=str(uuid.uuid4())),
            program=client,
            environment=list(environment),
            vault=str(self.home),
            state=str(self.state),
            **more,
        )
        starting.start(folder, run)
        return folder

    @contextmanager
    def running(self, client: str, **more):
        """Starts a run, yields its folder, and always ends the run on exit."""
        folder = self.start(client, **more)
        try:
            yield folder
        finally:
            end(folder)
        # A holder that needs a module after its client started would fail where nobody looks.
        log = (folder.path / "log").read_text("utf-8", "replace")
        assert "not imported" not in log, log

    def kept(self, folder, stream) -> bytes:
        run = folder.read()
        return contents(FileVault(self.home), run.key(stream))

    def notes(self, folder):
        return [json.loads(line) for line in self.kept(folder, "notes").splitlines()]

    def approver(self) -> Signer:
        """Adds the first approver of the ledger and returns the signer."""
        add_approver(self.state, "ada")
        return key("ada")

    def row(self, request_id):
        """Returns the present row of a request in the ledger."""
        row = Ledger(self.state).row(request_id)
        assert row is not None
        return row

    def decide(self, request_id, behaviour, signer=None, **more):
        """Answers a request in the ledger, and signs the decision if a signer is given."""
        row = self.row(request_id)
        decision = Decision(
            behaviour=behaviour, at=NOW, surface="terminal", approver=signer.id if signer else None, **more
        )
        if signer is not None:
            signature = signer.sign(signed_bytes(row.id, row.digest, decision))
            decision = structs.replace(decision, signature=signature)
        return Ledger(self.state).decide(row.id, row.digest, decision, Trust(ApproversFile(self.state).load()))


def end(folder) -> None:
    """Stops a run and waits until its holder has ended."""
    if folder.is_held():
        try:
            with Attached(folder) as attached:
                attached.attach(["err"])
                attached.do(messages.Stop())
                for _ in attached.events():
                    pass
        except Exception:  # noqa: BLE001 - the run may end by itself
            pass
    until(lambda: not folder.is_held())


def until(what, patience_s=PATIENCE_S):
    """Waits until `what()` is true, and returns its value."""
    deadline = time.monotonic() + patience_s
    while not (found := what()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
    return found


def events_until(attached, wanted):
    """Returns the events up to the first for which `wanted` is true."""
    found = []
    while True:
        event = attached.next(PATIENCE_S)
        assert event is not None, "the holder is gone"
        found.append(event)
        if wanted(event):
            return found


def is_state(state):
    return lambda event: isinstance(event, messages.Status) and event.state == state and not event.queued


def is_ended(event):
    return isinstance(event, messages.Ended)


def is_alive(pid: int) -> bool:
    """Returns whether a process runs; a process that has ended and is not yet collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state not in (b"Z", b"X")


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
