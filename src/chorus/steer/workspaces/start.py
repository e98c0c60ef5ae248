"""Setting an agent to work: a new session, one that is gone on with, or a fork of one; given to a holder."""

import os
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from msgspec import Struct, field, structs

from chorus.base import config
from chorus.base.config import Agent
from chorus.core.protocol.environment import KEYS, environment, missing_endpoint_variables, withheld
from chorus.core.protocol.launch import Launch, is_uuid
from chorus.core.records.times import wire_time
from chorus.errors import ChorusError, SourceUnreadable
from chorus.keep.archive.listing import SHORTEST, Kept
from chorus.keep.archive.manifest import manifest_of
from chorus.keep.archive.opening import open_kept, records_of
from chorus.keep.restore.originals import plan
from chorus.keep.restore.restoring import restore
from chorus.keep.restore.writing import ExistingFile, compare_existing
from chorus.keep.sources.discover import classify, config_folder
from chorus.keep.sources.file_access import Bounds, open_file
from chorus.keep.sources.ownership import first_session_and_folder, head_of
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import OBSERVED_AGENT, workspace_id
from chorus.steer.clients.registry import Registry
from chorus.steer.runs import starting
from chorus.steer.runs.containment import Containment
from chorus.steer.runs.run_folders import Run, RunFolder, Runs
from chorus.steer.workspaces import vetting
from chorus.steer.workspaces.fork_point import Said, cut, said
from chorus.steer.workspaces.registry import checked, enclosing, find_agent


class Wishes(Struct, frozen=True, kw_only=True):
    """How a run is to differ from what its agent's settings say."""

    model: str | None = None
    mode: str | None = None
    allowed_tools: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    max_turns: int | None = None
    is_once: bool = False
    client: str | None = None
    announce: Callable[[list[str], list[str]], None] | None = None
    """Told before the first run in a workspace which variables the client is given, and which not."""
    contain: Literal["", "network", "offline"] | None = None
    """Contained, with the machine's network or without any; empty for not, None for what the agent's settings say."""
    then: str = ""
    """The module that is run (`python -m`) after the run has ended, with the run's folder as its argument."""


class Resumed(Struct):
    """A run that goes on with a session."""

    folder: RunFolder
    run: Run
    restored: list[str] = field(default_factory=list)
    """Files that were written back first."""


def begin(vault: str | None, workspace: Path, agent_name: str | None, wishes: Wishes) -> tuple[RunFolder, Run]:
    """Start a session in a workspace's folder, as an agent of it if one is named."""
    place = workspace.resolve()
    if not place.is_dir():
        raise ChorusError(
            f"{workspace}: the workspace is gone, or no folder; `chorus workspace list` names those known"
        )
    home = config.home(vault)
    known = config.load(home)
    within = enclosing(known, place)
    agent = Agent(name="")
    if agent_name is not None:
        if within is None:
            raise ChorusError(
                f"{agent_name}: {place} is no workspace; `chorus workspace add` and `chorus agent add` first"
            )
        agent, place = find_agent(within, agent_name), Path(within.path)
    vetting.require(known, place)
    launch = _launch(Launch(session=str(uuid.uuid4())), agent, wishes)
    program = starting.find_client(wishes.client or known.client or None)
    starting.version_of(program)
    folder, run = _described(vault, place, agent, launch, program, wishes)
    starting.start(folder, run, then=wishes.then)
    return folder, folder.read() or run


def resume(vault: str | None, store: FileVault, kept: Kept, wishes: Wishes, *, fork: bool, at: str | None) -> Resumed:
    """Go on with a kept session, or with a copy of it; what the client has no longer is written back to it first."""
    file = _file_of(store, kept)
    session = "" if file else session_of(store, kept)
    at = _message(store, kept, at) if at is not None else None
    home = config.home(vault)
    if not fork and file is None:
        _refuse_if_busy(home, session)
    known = config.load(home)
    program = starting.find_client(wishes.client or known.client or None)
    starting.version_of(program)
    place, restored = (_place_of(store, kept, file), []) if file else _give_back(store, kept)
    vetting.require(known, place)
    within = enclosing(known, place)
    named = [each for each in (within.agents if within else ()) if each.name == kept.agent]
    agent = named[0] if named else Agent(name="" if kept.agent == OBSERVED_AGENT else kept.agent)
    if file is not None:
        begun = Launch(session=str(uuid.uuid4()), resumes_file=str(file), is_fork=True, at=at)
    else:
        new = str(uuid.uuid4()) if fork else session
        begun = Launch(session=new, resumes=session, is_fork=fork, at=at)
    launch = _launch(begun, agent, wishes)
    folder, run = _described(vault, place, agent, launch, program, wishes)
    if wishes.contain is None and run.contain is None:
        run.contain = _contained_before(home, session)
    run.workspace, run.agent, run.vault, run.state = (
        kept.workspace,
        kept.agent,
        str(store.root.absolute()),
        str(store.root.absolute() / config.STATE),
    )
    starting.start(folder, run, then=wishes.then)
    return Resumed(folder, folder.read() or run, restored)


def _file_of(store: FileVault, kept: Kept) -> Path | None:
    """The client's own file of a session with an id of another form; the client goes on with it in a new session."""
    if is_uuid(kept.id) or is_uuid(open_kept(store, kept).id):
        return None
    projects = config_folder() / "projects"
    for source in manifest_of(store, kept).sources.values():
        path = Path(source.path)
        if path.suffix == ".jsonl" and path.is_relative_to(projects) and _can_be_read(path, projects):
            return path
    return None


def _can_be_read(path: Path, projects: Path) -> bool:
    try:
        open_file(path, Bounds(projects)).close()
    except SourceUnreadable:
        return False
    return True


def session_of(store: FileVault, kept: Kept) -> str:
    """The id under which the client knows a kept conversation; `ChorusError` when it cannot know it."""
    session = kept.id if is_uuid(kept.id) else open_kept(store, kept).id
    if not is_uuid(session):
        raise ChorusError(f"{kept.id}: nothing in it names a session that the client could go on with")
    return session


def _message(store: FileVault, kept: Kept, at: str) -> str:
    """The uuid to cut behind the one message that begins so; `ChorusError` when there is none, or several."""
    wanted = at.strip().lower()
    streams: dict[str, list[Said]] = {}
    for record in records_of(store, kept):
        if (line := said(record.json)) is not None:
            streams.setdefault(record.stream, []).append(line)
    found: dict[str, None] = {}
    if len(wanted) >= SHORTEST:
        uuids = dict.fromkeys(line.uuid for lines in streams.values() for line in lines)
        found = dict.fromkeys(each for each in uuids if is_uuid(each) and each.startswith(wanted))
    if len(found) > 1:
        # Lines of one message are one place.
        found = dict.fromkeys(_cut(streams, each) for each in found)
    if len(found) == 1:
        return _cut(streams, next(iter(found)))
    if found:
        raise ChorusError(f"{at}: {len(found)} messages begin so: {', '.join(list(found)[:5])}; write more of the id")
    raise ChorusError(f"{at}: no message id of {kept.id}; `chorus show --json` names those of a conversation")


def _cut(streams: dict[str, list[Said]], uuid: str) -> str:
    return next((end for lines in streams.values() if (end := cut(lines, uuid)) is not None), uuid)


def _launch(launch: Launch, agent: Agent, wishes: Wishes) -> Launch:
    checked(agent)
    return structs.replace(
        launch,
        model=wishes.model or agent.model,
        mode=wishes.mode or agent.mode,
        allowed_tools=(*agent.allowed_tools, *wishes.allowed_tools),
        denied_tools=tuple(agent.denied_tools),
        instructions=agent.instructions,
        max_turns=wishes.max_turns,
    )


def _described(
    vault: str | None, place: Path, agent: Agent, launch: Launch, program: str, wishes: Wishes
) -> tuple[RunFolder, Run]:
    named = [*agent.environment, *wishes.environment]
    _refuse_if_misdirected(named, agent)
    home = config.home(vault)
    if wishes.announce is not None and not any(run.path == str(place) for _, run in Runs(home)):
        wishes.announce(sorted(environment(os.environ, named=named)), withheld(os.environ, named=named))
    folder = Runs(home).new()
    root = config.vault_for(vault, place).absolute()
    run = Run(
        id=folder.path.name,
        started_at=wire_time(datetime.now(UTC)),
        path=str(place),
        workspace=workspace_id(str(place)),
        agent=agent.name or OBSERVED_AGENT,
        name=agent.name,
        launch=launch,
        program=program,
        environment=named,
        contain=_containment(agent.contain if wishes.contain is None else wishes.contain),
        is_once=wishes.is_once,
        vault=str(root),
        state=str(root / config.STATE),
        sessions=[launch.session],
    )
    return folder, run


def _refuse_if_misdirected(named: list[str], agent: Agent) -> None:
    """`ChorusError` when the client would ask another endpoint than in the person's own shell."""
    wanted = missing_endpoint_variables(os.environ, named=named)
    if not wanted:
        return
    keys = [name for name in KEYS if os.environ.get(name)]
    key = f" with your key ({', '.join(keys)})" if keys else ""
    options = " ".join(f"--env {name}" for name in wanted)
    for_good = f"`chorus agent edit {agent.name or 'NAME'} {options}` for an agent"
    raise ChorusError(
        f"{wanted[0]}: it is set here and would not reach the client, which would ask another endpoint than in your "
        f"own shell{key}; give it along with {options}, {for_good}, or unset it"
    )


def _containment(wanted: str) -> Containment | None:
    """How a run is contained; `ChorusError` where it is to be and cannot."""
    if not wanted:
        return None
    starting.find_containment()
    return Containment(has_network=wanted != "offline")


def _contained_before(home: Path, session: str) -> Containment | None:
    """How the last run of a session was contained: going on with it does not let it out."""
    found = (run for _, run in Runs(home) if session and session in run.sessions)
    last = next(found, None)
    if last is not None and last.contain is not None:
        starting.find_containment()
    return last.contain if last is not None else None


def _refuse_if_busy(home: Path, session: str) -> None:
    for _, run in Runs(home).living():
        if run.session == session:
            raise ChorusError(
                f"{session}: run {run.id} works on it; `chorus send {run.id} TEXT`, or fork it with --fork"
            )
    elsewhere = Registry([config_folder()]).look().get(session)
    if elsewhere is not None:
        raise ChorusError(
            f"{session}: a client has it open (process {elsewhere.pid}), and two would write over each other; "
            "go on there, end it, or fork it with --fork"
        )


def _give_back(store: FileVault, kept: Kept) -> tuple[Path, list[str]]:
    """The folder to go on in, and what had to be written back for that."""
    config_dir = config_folder()
    restored: list[str] = []
    if kept.session_file is not None:
        planned = plan(store, kept, to=config_dir, revision=None)
        cwd = planned.cwd
        if compare_existing(planned.originals[0], ()) is ExistingFile.NOTHING:
            done = restore(store, kept, to=config_dir, revision=None, is_forced=False)
            restored = [each.path for each in done.files if each.outcome == "written"]
    else:
        # A run that was not yet looked at by a sync: what it said names its folder, and the client has its file.
        file = next((config_dir / "projects").glob(f"*/{session_of(store, kept)}.jsonl"), None)
        if file is None:
            raise ChorusError(f"{kept.id}: its session file was never kept, and the client has none; nothing to resume")
        return _place_of(store, kept, file), restored
    return _existing(kept, cwd), restored


def _place_of(store: FileVault, kept: Kept, file: Path) -> Path:
    """The folder that a session works in: as its own records say, else as the client's file does."""
    cwd = open_kept(store, kept).session.cwd
    if cwd is None:
        try:
            with open_file(file, Bounds(config_folder() / "projects")) as opened:
                cwd = first_session_and_folder(classify(file), head_of(opened))[1]
        except (OSError, SourceUnreadable):
            cwd = None
    return _existing(kept, cwd)


def _existing(kept: Kept, cwd: str | None) -> Path:
    if cwd is None or not os.path.isdir(cwd):  # noqa: PTH112 - a stranger's text, only looked at
        raise ChorusError(
            f"{kept.id}: it worked in {cwd or 'a folder it does not name'}, which is gone; "
            "the client finds a session by its folder: make it again, then resume"
        )
    return Path(cwd)
