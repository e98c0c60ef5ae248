"""Starts an agent on a new session, a resumed session, or a fork, and hands it to a holder."""

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
from chorus.steer.workspaces.fork_point import SessionLine, cut, read_line
from chorus.steer.workspaces.registry import checked, enclosing, find_agent


class RunOptions(Struct, frozen=True, kw_only=True):
    """How a run differs from the settings of its agent."""

    model: str | None = None
    mode: str | None = None
    allowed_tools: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    max_turns: int | None = None
    is_once: bool = False
    client: str | None = None
    announce: Callable[[list[str], list[str]], None] | None = None
    """Called before the first run in a workspace with the variables that the client gets, and with all others."""
    contain: Literal["", "network", "offline"] | None = None
    """Contained, with the machine's network or without any; empty for not contained, None for the agent's setting."""
    then: str = ""
    """The module that is run (`python -m`) after the run has ended, with the folder of the run as its argument."""


class Resumed(Struct):
    """A run that continues a session."""

    folder: RunFolder
    run: Run
    restored: list[str] = field(default_factory=list)
    """Files that were restored first."""


def begin(vault: str | None, workspace: Path, agent_name: str | None, options: RunOptions) -> tuple[RunFolder, Run]:
    """Starts a session in the folder of a workspace, as one of its agents if one is named."""
    place = workspace.resolve()
    if not place.is_dir():
        raise ChorusError(
            f"{workspace}: the workspace is gone, or no folder; `chorus workspace list` names those known"
        )
    home = config.guarded_home(vault)
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
    launch = _launch(Launch(session=str(uuid.uuid4())), agent, options)
    program = starting.find_client(options.client or known.client or None)
    starting.version_of(program)
    folder, run = _describe_run(vault, place, agent, launch, program, options)
    starting.start(folder, run, then=options.then)
    return folder, folder.read() or run


def resume(
    vault: str | None, store: FileVault, kept: Kept, options: RunOptions, *, fork: bool, at: str | None
) -> Resumed:
    """Continues a recorded session, or a fork of it. Files that the client no longer has are restored first."""
    file = _file_of(store, kept)
    session = "" if file else session_of(store, kept)
    at = _message(store, kept, at) if at is not None else None
    home = config.guarded_home(vault)
    if not fork and file is None:
        _refuse_if_busy(home, session)
    known = config.load(home)
    program = starting.find_client(options.client or known.client or None)
    starting.version_of(program)
    place, restored = (_place_of(store, kept, file), []) if file else _restore_files(store, kept)
    vetting.require(known, place)
    within = enclosing(known, place)
    named = [each for each in (within.agents if within else ()) if each.name == kept.agent]
    agent = named[0] if named else Agent(name="" if kept.agent == OBSERVED_AGENT else kept.agent)
    if file is not None:
        begun = Launch(session=str(uuid.uuid4()), resumes_file=str(file), is_fork=True, at=at)
    else:
        new = str(uuid.uuid4()) if fork else session
        begun = Launch(session=new, resumes=session, is_fork=fork, at=at)
    launch = _launch(begun, agent, options)
    folder, run = _describe_run(vault, place, agent, launch, program, options)
    if options.contain is None and run.contain is None:
        run.contain = _contained_before(home, session)
    run.workspace, run.agent, run.vault, run.state = (
        kept.workspace,
        kept.agent,
        str(store.root.absolute()),
        str(store.root.absolute() / config.STATE),
    )
    starting.start(folder, run, then=options.then)
    return Resumed(folder, folder.read() or run, restored)


def _file_of(store: FileVault, kept: Kept) -> Path | None:
    """Returns the client's file of a session whose id has another form; the client continues it in a new session."""
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
    """Returns the id that the client uses for a recorded conversation. Raises `ChorusError` if it cannot know it."""
    session = kept.id if is_uuid(kept.id) else open_kept(store, kept).id
    if not is_uuid(session):
        raise ChorusError(f"{kept.id}: nothing in it names a session that the client could continue")
    return session


def _message(store: FileVault, kept: Kept, at: str) -> str:
    """Returns the uuid to cut after for the message whose id begins with `at`.

    Raises `ChorusError` if not exactly one does.
    """
    wanted = at.strip().lower()
    streams: dict[str, list[SessionLine]] = {}
    for record in records_of(store, kept):
        if (line := read_line(record.json)) is not None:
            streams.setdefault(record.stream, []).append(line)
    found: dict[str, None] = {}
    if len(wanted) >= SHORTEST:
        uuids = dict.fromkeys(line.uuid for lines in streams.values() for line in lines)
        found = dict.fromkeys(each for each in uuids if is_uuid(each) and each.startswith(wanted))
    if len(found) > 1:
        # Several lines of one message are the same place.
        found = dict.fromkeys(_cut(streams, each) for each in found)
    if len(found) == 1:
        return _cut(streams, next(iter(found)))
    if found:
        raise ChorusError(f"{at}: {len(found)} messages begin so: {', '.join(list(found)[:5])}; write more of the id")
    raise ChorusError(f"{at}: no message id of {kept.id}; `chorus show --json` names those of a conversation")


def _cut(streams: dict[str, list[SessionLine]], uuid: str) -> str:
    return next((end for lines in streams.values() if (end := cut(lines, uuid)) is not None), uuid)


def _launch(launch: Launch, agent: Agent, options: RunOptions) -> Launch:
    checked(agent)
    return structs.replace(
        launch,
        model=options.model or agent.model,
        mode=options.mode or agent.mode,
        allowed_tools=(*agent.allowed_tools, *options.allowed_tools),
        denied_tools=tuple(agent.denied_tools),
        instructions=agent.instructions,
        max_turns=options.max_turns,
    )


def _describe_run(
    vault: str | None, place: Path, agent: Agent, launch: Launch, program: str, options: RunOptions
) -> tuple[RunFolder, Run]:
    named = [*agent.environment, *options.environment]
    _refuse_if_misdirected(named, agent)
    home = config.guarded_home(vault)
    if options.announce is not None and not any(run.path == str(place) for _, run in Runs(home)):
        options.announce(sorted(environment(os.environ, named=named)), withheld(os.environ, named=named))
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
        contain=_containment(agent.contain if options.contain is None else options.contain),
        is_once=options.is_once,
        vault=str(root),
        state=str(root / config.STATE),
        sessions=[launch.session],
    )
    return folder, run


def _refuse_if_misdirected(named: list[str], agent: Agent) -> None:
    """Raises `ChorusError` if the client would use another endpoint than in the person's own shell."""
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
    """Returns how a run is contained. Raises `ChorusError` if it must be contained and cannot."""
    if not wanted:
        return None
    starting.find_containment()
    return Containment(has_network=wanted != "offline")


def _contained_before(home: Path, session: str) -> Containment | None:
    """Returns how the last run of a session was contained, so that resuming it does not release it."""
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


def _restore_files(store: FileVault, kept: Kept) -> tuple[Path, list[str]]:
    """Returns the folder to continue in, and the files that were restored for that."""
    config_dir = config_folder()
    restored: list[str] = []
    if kept.session_file is not None:
        planned = plan(store, kept, to=config_dir, revision=None)
        cwd = planned.cwd
        if compare_existing(planned.originals[0], ()) is ExistingFile.NOTHING:
            done = restore(store, kept, to=config_dir, revision=None, is_forced=False)
            restored = [each.path for each in done.files if each.outcome == "written"]
    else:
        # No sync has seen this run yet: its output names its folder, and the client has its file.
        file = next((config_dir / "projects").glob(f"*/{session_of(store, kept)}.jsonl"), None)
        if file is None:
            raise ChorusError(f"{kept.id}: its session file was never recorded, and the client has none")
        return _place_of(store, kept, file), restored
    return _existing(kept, cwd), restored


def _place_of(store: FileVault, kept: Kept, file: Path) -> Path:
    """Returns the folder that a session works in, according to its own records, or else to the client's file."""
    cwd = open_kept(store, kept).session.cwd
    if cwd is None:
        try:
            with open_file(file, Bounds(config_folder() / "projects")) as opened:
                cwd = first_session_and_folder(classify(file), head_of(opened))[1]
        except (OSError, SourceUnreadable):
            cwd = None
    return _existing(kept, cwd)


def _existing(kept: Kept, cwd: str | None) -> Path:
    if cwd is None or not os.path.isdir(cwd):  # noqa: PTH112 - untrusted text, only checked
        raise ChorusError(
            f"{kept.id}: it worked in {cwd or 'a folder it does not name'}, which is gone; "
            "the client finds a session by its folder: make it again, then resume"
        )
    return Path(cwd)
