"""Settings in `config.json` in the home of Chorus."""

import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from chorus.base.regular_files import read_regular
from chorus.core.board.news import BoardEvent
from chorus.core.notifications.rules import USUAL, Content, NotificationRules, QuietHours
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.errors import ChorusError

HOME_VARIABLE = "CHORUS_HOME"
STATE = "state"
"""The folder of a vault for decisions: the permission ledger and its approvers."""
_NO_LINKS = ("index", "cache", "run", "git")
"""Folders of a home that are created again if they are missing; a link there could lead anywhere."""
_OWN_NAMES = frozenset(
    (
        *("vault.json", "config.json", "config.lock", "prices.json", "sync.lock", "upgrade.lock", ".gitignore"),
        *("conversations", "blobs", "state", "index", "cache", "run", "runs", "git", "bin", "logs", "stdin", "panes"),
    )
)
"""What a home contains. A folder with nothing else in it is a home, also before its first conversation."""
_CONTACT = r"^(mailto:[^\s@]+@|https://)(?!localhost)[^\s/@]+\.(?!local(host)?$)[A-Za-z]{2,}(/\S*)?$"
OWN_VAULT = ".chorus"
"""The folder that `chorus init` creates in a workspace."""


class Agent(Struct, kw_only=True, rename="camel"):
    """A named worker of a workspace, with the settings for starting the client."""

    name: str
    model: str | None = None
    mode: str | None = None
    """The permission mode at the start."""
    allowed_tools: list[str] = field(default_factory=list)
    denied_tools: list[str] = field(default_factory=list)
    instructions: str | None = None
    environment: list[str] = field(default_factory=list)
    """Names of variables of the person's own environment that it receives; never their values."""
    contain: Literal["", "network", "offline"] = ""
    """Whether it works contained, and then with the machine's network or without any."""


class Workspace(Struct, kw_only=True, rename="camel"):
    """A folder in which agents work, as it was first seen."""

    id: str
    path: str
    is_named: bool = False
    """Whether a person named it; otherwise the path comes from a session, which is untrusted text."""
    ignore: list[str] = field(default_factory=list)
    """Patterns of session files that are never stored."""
    gate: Literal["terminal", "strict"] = "terminal"
    """What happens to a permission request if Chorus is not available: the terminal's own prompt, or a denial."""
    snapshots: Literal["on", "off"] = "on"
    """Whether the files that agents change are stored before and after. Only in a workspace that a person named."""
    git_backend: Literal["auto", "plain", "gitbutler"] = "auto"
    """What is told about edits besides the snapshots: GitButler where it is used, nothing, or always GitButler."""
    git_commits: Literal["off", "turns"] = "off"
    """Whether each turn becomes a commit on a branch of its conversation, in the repository of the person."""
    has_own_vault: bool = False
    """Whether the person named it with `chorus init`: only then its `.chorus/` is used."""
    agents: list[Agent] = field(default_factory=list)
    """Its agents; `chorus agent` changes them."""
    trusted: str = ""
    """The digest of the client's settings in the folder that a person has read and allowed to take effect."""


class Config(Struct, kw_only=True, rename="camel"):
    """Every setting with its default."""

    seal_after_days: Annotated[int, Meta(ge=1, le=36_500)] = 30
    """Conversations idle for this many days are packed."""
    client: str = ""
    """The client's binary; empty for the `claude` on PATH."""
    keep_snapshots_days: Annotated[int, Meta(ge=1, le=36_500)] = 90
    """Snapshots of conversations that are older than this are removed."""
    max_snapshots_mb: Annotated[int, Meta(ge=1)] = 2_000
    """If the snapshots of a workspace take more space than this, those of the oldest conversations are removed."""
    follow_links_to: list[str] = field(default_factory=list)
    """Folders that links in a client's folder may lead into; other links out of it are skipped and reported."""
    tmux: Literal["on", "off"] = "on"
    """Whether panes of tmux are looked at."""
    tmux_sockets: list[str] = field(default_factory=list)
    """Servers outside of tmux's own folder: names, as after `tmux -L`, or paths, as after `tmux -S`."""
    notify_command: list[str] = field(default_factory=list)
    """A program and its arguments, called by the server when something happened on the board."""
    notify_on: list[BoardEvent] = field(default_factory=lambda: list(USUAL.events))
    """What the command is called for, and what the desktop shows."""
    notify_content: Content = "none"
    """What the command gets besides ids: nothing, the title, or also what is asked."""
    notify_quiet: QuietHours = ""
    """When the command is not called."""
    notify_muted: list[str] = field(default_factory=list)
    """Workspaces that the command is not called for."""
    push_contact: Annotated[str, Meta(pattern=_CONTACT, max_length=300)] = "mailto:chorus@example.org"
    """How a push service can write to the person who sends. Apple refuses names of the own machine."""
    workspaces: list[Workspace] = field(default_factory=list)

    @property
    def notification_rules(self) -> NotificationRules:
        """The rules for the command and for the desktop."""
        return NotificationRules(
            events=tuple(self.notify_on),
            muted=tuple(self.notify_muted),
            quiet=self.notify_quiet,
            content=self.notify_content,
        )


class Setting(Struct, frozen=True):
    """A setting as it is shown to a person."""

    name: str
    value: Any
    meaning: str


_MEANINGS = {
    "sealAfterDays": "Conversations idle for this many days are packed.",
    "client": "The client's binary; empty for the `claude` on PATH.",
    "keepSnapshotsDays": "Snapshots of files are removed this many days after the last one of their conversation.",
    "maxSnapshotsMb": "If snapshots of a workspace take more megabytes, those of its oldest conversations are removed.",
    "followLinksTo": "Folders that links in the client's folder may lead into; other links out of it are not followed.",
    "tmux": "Whether Chorus looks at the panes of tmux servers: `on` or `off`.",
    "tmuxSockets": "More tmux servers: names as after `tmux -L`, or paths as after `tmux -S`.",
    "notifyCommand": "A program and its arguments that `chorus serve` calls when something happened on the board.",
    "notifyOn": "What notifyCommand and `chorus board --notify` tell: `needs-you`, `failed`, `limit`, `alert`, `done`.",
    "notifyContent": "What a notification says: `none` (only that something happened), `title`, or also the `command`.",
    "notifyQuiet": "When there are no notifications, such as `22:00-07:00`; empty for never.",
    "notifyMuted": "Ids of the workspaces that there are no notifications for.",
    "pushContact": "The address that push services may write to, as `mailto:…` or `https://…`.",
    "ignore": "Patterns of session files of this workspace that are never kept.",
    "gate": "What hooks do when Chorus cannot be asked: `terminal` leaves its prompt, `strict` denies.",
    "snapshots": "Whether the files that agents change here are stored before and after each change: `on` or `off`.",
    "gitBackend": "Who commits edits here: `auto` (GitButler if it is used here), `plain` (nobody), `gitbutler`.",
    "gitCommits": "Whether each turn becomes a commit on a branch of its conversation: `off` or `turns`.",
    "path": "The workspace's folder, as it was first seen; cannot be set.",
    "hasOwnVault": "Whether `chorus init` named this workspace's own .chorus/; cannot be set.",
}

_BACKENDS: dict[str, Literal["auto", "plain", "gitbutler"]] = {
    "auto": "auto",
    "plain": "plain",
    "gitbutler": "gitbutler",
}


def home(vault: str | os.PathLike[str] | None = None) -> Path:
    """Return the home of Chorus: the folder that the person named (`--vault`), or `$CHORUS_HOME`, or `~/.chorus`."""
    named = os.fspath(vault) if vault else os.environ.get(HOME_VARIABLE)
    try:
        return Path(named).expanduser() if named else Path.home() / ".chorus"
    except RuntimeError as error:
        raise ChorusError(f"no home folder is known for this user: set HOME, or {HOME_VARIABLE}") from error


def guarded_home(vault: str | os.PathLike[str] | None = None) -> Path:
    """Return the home for a command, closed to other users. Raises ChorusError like `vault_for`."""
    root = home(vault)
    _guard(root)
    return root


def vault_for(vault: str | os.PathLike[str] | None, folder: Path) -> Path:
    """Return the vault for a command in `folder`: the workspace's own if the person named one, else the home's.

    Raises ChorusError if it contains a link that would redirect what Chorus writes, or if other users may write to it
    and it is no folder of Chorus alone.
    """
    root = guarded_home(vault)
    if vault or os.environ.get(HOME_VARIABLE):
        return root
    own = own_vault(load(root), folder)
    if own is not None:
        _guard(own)
    return own or root


def _guard(root: Path) -> None:
    """Refuse links inside a home, and close it to other users if they may write to it.

    An empty folder becomes a home, so it is closed before anything is written. A folder with other things in it is
    not ours to change: it is refused.
    """
    for name in _NO_LINKS:
        if (root / name).is_symlink():
            raise ChorusError(f"{root / name}: is a link, and links inside Chorus' home are refused: remove it")
    try:
        if root.is_symlink() and root.lstat().st_uid != os.geteuid():
            raise ChorusError(f"{root}: is a link that another user made: remove it, or name another home")
        status = root.stat()
        is_open = status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) & 0o022
        if not is_open or not stat.S_ISDIR(status.st_mode):
            return
        if not (root / "vault.json").is_file() and not _OWN_NAMES.issuperset(each.name for each in root.iterdir()):
            raise ChorusError(
                f"{root}: other users may write to this folder, and it holds other things than those of Chorus: "
                "name another folder, or `chmod go-w` this one"
            )
        root.chmod(stat.S_IMODE(status.st_mode) & 0o700)
    except OSError:
        # It does not exist yet, or this user may not change it: the code that writes to it reports that.
        return


def own_vault(config: Config, folder: Path) -> Path | None:
    """Return the `.chorus/` of the workspace that contains `folder`, if the person named it with `chorus init`.

    A `.chorus/` that only exists in a repository is untrusted and never used; nor is one that became a link.
    """
    named = {each.path for each in config.workspaces if each.has_own_vault}
    for place in (folder, *folder.parents):
        if str(place) in named:
            vault = place / OWN_VAULT
            return vault if vault.is_dir() and not vault.is_symlink() else None
    return None


def home_of(root: Path) -> Path:
    """Return the home that a vault belongs to: the vault's own folder, except for the own vault of a workspace."""
    above = home()
    return above if own_vault(load(above), root.parent) == root else root


def load(root: Path) -> Config:
    """Return the settings in `root`; defaults if there is no file. Raises ChorusError if they cannot be understood."""
    path = root / "config.json"
    try:
        return msgspec.json.decode(read_regular(path), type=Config)
    except FileNotFoundError:
        return Config()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ChorusError(f"{path}: {reason}; repair it, or move it away to start with defaults") from error


def workspace_names(root: Path) -> WorkspaceNames:
    """Return the names of the workspaces of the vault in `root`; none, without an error, if settings are unreadable."""
    try:
        status = (root / "config.json").stat()
        return _names(root, status.st_ino, status.st_mtime_ns, status.st_size)
    except (OSError, ChorusError):
        return WorkspaceNames({})


@lru_cache(4)
def _names(root: Path, _inode: int, _mtime_ns: int, _size: int) -> WorkspaceNames:
    return WorkspaceNames({each.id: each.path for each in load(root).workspaces})


def save(root: Path, config: Config) -> None:
    """Write the settings atomically, readable by this user only; fields of other versions are kept.

    It replaces what another process wrote since the settings were loaded: `edit` does not.
    """
    path = root / "config.json"
    known = _written(path)
    known.update(msgspec.to_builtins(config))
    half = path.with_name(f"config.json.{os.getpid()}.tmp")
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(json.dumps(known, indent=2, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(fd)
        half.replace(path)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise ChorusError(f"{path}: {error.strerror or error}") from error


@contextmanager
def edit(root: Path) -> Iterator[Config]:
    """Yield the settings for a change, and save them at the end; no other edit can happen in between.

    Raises ChorusError like `vault_for`, before anything is written.
    """
    _guard(root)
    try:
        import fcntl
    except ImportError:  # Without such locks, the last writer wins.
        config = load(root)
        yield config
        save(root, config)
        return
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(root / "config.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise ChorusError(f"{root}: {error.strerror or error}") from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        config = load(root)
        yield config
        save(root, config)
    finally:
        os.close(fd)


def settings(config: Config) -> list[Setting]:
    """Return every setting by its dotted name: those of a workspace are `workspaces.ID.…`.

    Agents have their own command.
    """
    fields = msgspec.to_builtins(config)
    found = [Setting(name, value, _MEANINGS[name]) for name, value in fields.items() if name != "workspaces"]
    for workspace in fields["workspaces"]:
        prefix = f"workspaces.{workspace.pop('id')}."
        workspace.pop("agents")
        workspace.pop("trusted")
        workspace.pop("isNamed")
        found += [Setting(prefix + name, value, _MEANINGS[name]) for name, value in workspace.items()]
    return found


def setting(config: Config, name: str) -> Setting:
    """Return the setting of that name. Raises ChorusError if there is none."""
    for each in settings(config):
        if each.name == name:
            return each
    raise ChorusError(f"{name}: no such setting; `chorus config get` lists them")


def change(config: Config, name: str, values: Sequence[str]) -> None:
    """Set a setting to `values`: one value, or the values of a list. Raises ChorusError if that is not possible."""
    setting(config, name)
    group, _, rest = name.partition(".")
    if group == "workspaces":
        workspace_id, _, last = rest.rpartition(".")
        for workspace in config.workspaces:
            if workspace.id == workspace_id:
                _change_workspace(workspace, name, last, values)
        return
    if name == "followLinksTo":
        config.follow_links_to = [os.path.realpath(Path(value).expanduser()) for value in values if value]
        return
    if name == "tmuxSockets":
        config.tmux_sockets = [value for value in values if value]
        return
    if name in ("notifyCommand", "notifyOn", "notifyMuted"):
        given: object = [value for value in values if value]
    elif len(values) != 1:
        raise ChorusError(f"{name}: takes one value")
    else:
        given = values[0]
    fields = msgspec.to_builtins(config) | {name: given}
    try:
        changed = msgspec.convert(fields, Config, strict=False)
    except msgspec.ValidationError as error:
        raise ChorusError(f"{name}: {', '.join(values)!r} cannot be its value: {error}") from error
    for attribute in Config.__struct_fields__:
        setattr(config, attribute, getattr(changed, attribute))


def _change_workspace(workspace: Workspace, name: str, last: str, values: Sequence[str]) -> None:
    if last == "ignore":
        workspace.ignore = [value for value in values if value]
    elif last == "gate":
        if tuple(values) not in (("terminal",), ("strict",)):
            raise ChorusError(f"{name}: takes `terminal` or `strict`")
        workspace.gate = "strict" if values[0] == "strict" else "terminal"
    elif last == "snapshots":
        if tuple(values) not in (("on",), ("off",)):
            raise ChorusError(f"{name}: takes `on` or `off`")
        workspace.snapshots = "off" if values[0] == "off" else "on"
    elif last == "gitCommits":
        if tuple(values) not in (("off",), ("turns",)):
            raise ChorusError(f"{name}: takes `off` or `turns`")
        workspace.git_commits = "turns" if values[0] == "turns" else "off"
    elif last == "gitBackend":
        if tuple(values) not in (("auto",), ("plain",), ("gitbutler",)):
            raise ChorusError(f"{name}: takes `auto`, `plain` or `gitbutler`")
        workspace.git_backend = _BACKENDS[values[0]]
    else:
        raise ChorusError(f"{name}: {_MEANINGS[last]}")


def _written(path: Path) -> dict[str, Any]:
    try:
        known = json.loads(read_regular(path))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
