"""Starts and steers agents for the page. The page names folders and runs by id, never by path, and cannot widen a
permission mode."""

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args

from chorus.base import config
from chorus.base.config import Workspace
from chorus.core.protocol.pictures import picture_from_base64
from chorus.core.query.tree import Query
from chorus.errors import ChorusError, Unvetted
from chorus.find.index.port import Index
from chorus.keep.archive.listing import named
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import workspace_id
from chorus.show import recorder, wire
from chorus.show.server.errors import Refused, not_found
from chorus.show.server.live.run_watcher import RunWatcher
from chorus.show.wire.runs import RunMode
from chorus.steer.runs import messages, starting
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.run_folders import RunFolder
from chorus.steer.workspaces import start as work
from chorus.steer.workspaces.start import RunOptions

MAX_PLACES = 50
_ENDS_S = 15.0
"""How long to wait for the end of a run that is to be restarted."""
_LOOKED_AT = 500
"""How many of the most recent conversations are searched for folders to offer."""


class RunControl:
    """Controls the runs of one server; may be used from several threads."""

    def __init__(self, vault: FileVault, run_watcher: RunWatcher) -> None:
        self._vault = vault
        self._run_watcher = run_watcher
        home = config.home_of(vault.root)
        self._home = home
        self._named = str(vault.root) if home == vault.root else None
        """The vault argument for `steer.workspaces.start`; None for the own vault of a workspace, which the folder
        determines."""

    def places(self, index: Index | None) -> wire.Places:
        """Returns the folders where an agent may be started; without an index, only those that a person configured."""
        known = config.load(self._home)
        try:
            starting.find_client(known.client or None)
            trouble = ""
        except ChorusError as error:
            trouble = str(error)
        return wire.Places(
            places=tuple(_places(known.workspaces, _recent_folders(index) if index else ())),
            models=tuple(each for each in index.names("model") if each.strip() and not each.startswith("<"))
            if index
            else (),
            modes=get_args(RunMode),
            trouble=trouble,
        )

    def start(self, asked: wire.RunAsked, index: Index | None) -> wire.RunShown:
        """Starts an agent in a known folder with a first message."""
        place = next((each for each in self.places(index).places if each.id == asked.place), None)
        if place is None:
            raise not_found("There is no such folder here; `chorus workspace add` names one.")
        message = _send(asked.message)
        wishes = RunOptions(model=asked.model or None, mode=asked.mode, then=recorder.__name__)
        try:
            folder, _ = work.begin(self._named, Path(place.folder), asked.agent, wishes)
        except ChorusError as error:
            raise _refusal(error) from error
        return self._begin(folder, message)

    def resume(self, asked: wire.ResumptionAsked) -> wire.RunShown:
        """Resumes a recorded conversation."""
        kept = next(iter(named(self._vault, [asked.conversation])), None)
        if kept is None:
            raise not_found("There is no such conversation; it may have been forgotten.")
        message = _send(asked.message)
        try:
            wishes = RunOptions(then=recorder.__name__)
            done = work.resume(self._named, self._vault, kept, wishes, fork=asked.is_fork, at=asked.at)
        except ChorusError as error:
            raise _refusal(error) from error
        return self._begin(done.folder, message)

    def restart(self, run_id: str, message: wire.Message) -> wire.RunShown:
        """Stops a run and resumes its conversation in a new run, which trusts the present approvers."""
        folder = self._run_watcher.find(run_id)
        run = folder.read() if folder is not None else None
        if folder is None or run is None:
            raise not_found("There is no such run.")
        if folder.is_held():
            self.do(run_id, messages.Stop())
        end = time.monotonic() + _ENDS_S
        while folder.is_held():
            if time.monotonic() > end:
                raise Refused(409, "cannot_run", "The agent takes long to end; resume it when it has.")
            time.sleep(0.05)
        conversation = f"{run.workspace}/{run.agent}/{run.session}"
        return self.resume(wire.ResumptionAsked(conversation=conversation, message=message))

    def do(self, run_id: str, *commands: messages.AnyCommand) -> None:
        """Sends commands to a run; raises `Refused` if the run is over or rejects one."""
        folder = self._run_watcher.find(run_id)
        if folder is None:
            raise not_found("There is no such run.")
        try:
            with Attached(folder) as attached:
                for command in commands:
                    attached.do(command)
        except ChorusError as error:
            raise _refusal(error) from error

    def send(self, run_id: str, message: wire.Message) -> None:
        self.do(run_id, _send(message))

    def change(self, run_id: str, change: wire.RunChange) -> None:
        """Changes the model or the permission mode of a run."""
        model = [messages.SetModel(model=change.model)] if change.model else []
        mode = [messages.SetMode(mode=change.mode)] if change.mode else []
        self.do(run_id, *model, *mode)

    def _begin(self, folder: RunFolder, message: messages.Send) -> wire.RunShown:
        """Sends the first message to a run that was just started, and returns the run as pages show it."""
        try:
            with Attached(folder) as attached:
                attached.do(message)
        except ChorusError as error:
            run = folder.read()
            raise _refusal(ChorusError(run.ending.words) if run and run.ending else error) from error
        return self._run_watcher.shown(folder)


def _send(message: wire.Message) -> messages.Send:
    try:
        images = [picture_from_base64(each.data) for each in message.pictures]
    except ChorusError as error:
        raise Refused(400, "bad_request", f"A picture cannot be sent: {error}.") from error
    if not message.text.strip() and not images:
        raise Refused(400, "bad_request", "There is nothing to send.")
    return messages.Send(text=message.text, images=images, is_later=message.is_later)


def _refusal(error: ChorusError) -> Refused:
    """Returns a refusal with the error's message, which says what the person can do."""
    return Refused(409, "unvetted" if isinstance(error, Unvetted) else "cannot_run", str(error))


def _places(workspaces: Iterable[Workspace], recent_folders: Iterable[str]) -> Iterator[wire.Place]:
    seen: set[str] = set()
    for each in workspaces:
        # Only people add agents to a workspace.
        if (each.is_named or each.agents) and os.path.isdir(each.path):  # noqa: PTH112 - only looked at
            seen.add(each.path)
            agents = tuple(wire.AgentShown(name=one.name, model=one.model, mode=one.mode) for one in each.agents)
            yield wire.Place(id=workspace_id(each.path), folder=each.path, agents=agents, is_named=True)
    for folder in recent_folders:
        if len(seen) >= MAX_PLACES:
            return
        if folder not in seen and _is_place(folder):
            seen.add(folder)
            yield wire.Place(id=workspace_id(folder), folder=folder, agents=(), is_named=False)


def _is_place(folder: str) -> bool:
    """Returns whether this is the real path of a folder: the working folder in a transcript is untrusted text."""
    try:
        return os.path.isabs(folder) and os.path.realpath(folder) == folder and os.path.isdir(folder)  # noqa: PTH112, PTH117
    except ValueError:
        # The text contains a zero byte, so it is no path.
        return False


def _recent_folders(index: Index) -> Iterator[str]:
    """Yields the working folders of conversations, the most recent first."""
    rows, _ = index.conversations(Query(None), limit=_LOOKED_AT)
    yield from dict.fromkeys(row.session.cwd for row in rows if row.session.cwd)
