"""Makes commits in the repository of a person out of the snapshots of a conversation, because the person asked for it.

The commits are made in a temporary worktree, by git as the person runs it: with their hooks, filters and signing. Their
own worktree and index are not touched. The branch is set when everything worked; until then nothing refers to the
commits. Only the changes of agents are applied, to the commit that the work started from.
"""

import os
import re
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from chorus.base.git import PersonsGit
from chorus.errors import ChorusError, GitFailed
from chorus.keep.snapshots.commits import SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.edits import FileEdit, files_of
from chorus.keep.snapshots.file_reading import FileContent, Skipped, read_unless_folder
from chorus.keep.snapshots.file_writing import remove_file, write_file
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.keep.snapshots.undo import LINK, merge_contents
from chorus.keep.snapshots.worktrees import temporary_worktree

_PUBLISHED = (SnapshotKind.AFTER, SnapshotKind.TURN, SnapshotKind.UNDO)
_BRANCH = "refs/heads/"
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_MAX_SUBJECT = 72
_BATCH = 200
_NO_COMMIT = "0" * 40

Subject = Callable[[SnapshotFacts], str]
"""Returns the subject of the commit of a turn."""


class MadeCommit(Struct, frozen=True):
    """A commit that was made."""

    id: str
    subject: str
    turn: int
    files: int


class Published(Struct, frozen=True):
    """What was published."""

    branch: str
    base: str
    commits: list[MadeCommit]
    left_out: list[str]
    """Changes that are not part of it, each with the reason."""


def branch_of(conversation: str) -> str:
    """Returns the name of the branch of a conversation, if the person names none."""
    return f"chorus/{conversation[:13]}"


def steps_of(store: SnapshotRepository, conversation: str, *, is_squashed: bool) -> list[list[FileEdit]]:
    """Returns the changes of a conversation, one list for each commit: for each turn, or for everything."""
    commits = [each for each in reversed(list(snapshots_of(store, conversation))) if each.facts.kind in _PUBLISHED]
    if is_squashed:
        groups = [commits] if commits else []
    else:
        groups = [
            list(some)
            for _, some in groupby(commits, key=lambda each: (each.facts.turn, each.facts.kind is SnapshotKind.UNDO))
        ]
    return [[edit for commit in group for edit in files_of(store, commit)] for group in groups]


def publish(
    store: SnapshotRepository,
    folder: Path,
    steps: Sequence[Sequence[FileEdit]],
    branch: str,
    subject: Subject,
    *,
    base: str | None = None,
    is_forced: bool = False,
) -> Published:
    """Makes a branch of commits, one for each step. Raises `ChorusError`, and leaves nothing behind, if it cannot.

    `base` is the commit to start from; by default it is found. With `is_forced` a branch that exists is replaced, but
    never one that is checked out somewhere.
    """
    git = PersonsGit(folder)
    top = Path(os.fsdecode(_top(git)))
    old = _guard_branch(git, branch, is_forced=is_forced)
    if not any(steps):
        raise ChorusError("there is nothing to publish: no agent changed a file, as far as snapshots say")
    start = _resolve(git, base) if base else find_base(git, folder, top, steps)
    left_out: list[str] = []
    with temporary_worktree(git, start) as place:
        inside = place / folder.relative_to(top)
        inside.mkdir(parents=True, exist_ok=True)
        here = PersonsGit(place)
        done = (_commit_step(store, here, place, inside, step, subject, left_out) for step in steps)
        made = [commit for commit in done if commit is not None]
        if not made:
            raise ChorusError(f"there is nothing to publish: {start[:12]} has all changes already" + _also(left_out))
        git.run("update-ref", "-m", "chorus git publish", _BRANCH + branch, made[-1].id, old)
    return Published(branch, start, made, list(dict.fromkeys(left_out)))


def find_base(git: PersonsGit, folder: Path, top: Path, steps: Sequence[Sequence[FileEdit]]) -> str:
    """Returns the commit that the work started from.

    That is the newest commit before the first snapshot. Where the history was rewritten since, it is the newest commit
    that has the files as the agent found them, or else the current one.
    """
    head = _resolve(git, "HEAD")
    first = min(edit.commit.facts.time_ms for step in steps for edit in step) // 1000
    by_time = git.run("rev-list", "-1", f"--before={first}", head).decode().strip()
    if by_time:
        return by_time
    prefix = folder.relative_to(top)
    wanted: dict[str, str | None] = {}
    for edit in (edit for step in steps for edit in step):
        wanted.setdefault(os.fspath(prefix / os.fsdecode(edit.path)), edit.old.id if edit.old else None)
    for commit in git.run("rev-list", "-n", "200", head).decode().split():
        if all(_blob(git, commit, path) == name for path, name in wanted.items()):
            return commit
    return head


def _blob(git: PersonsGit, commit: str, path: str) -> str | None:
    answer = git.ask("ls-tree", "-z", "--full-tree", commit, "--", path)
    return answer.output.split(b"\t")[0].split()[2].decode() if answer.code == 0 and answer.output else None


def _top(git: PersonsGit) -> bytes:
    answer = git.ask("rev-parse", "--show-toplevel")
    if answer.code != 0:
        raise ChorusError(f"{git.folder}: it is no git repository with files, so there is nowhere to publish to")
    return answer.output.rstrip(b"\n")


def _guard_branch(git: PersonsGit, branch: str, *, is_forced: bool) -> str:
    """Returns the commit of the branch, or zeros if it does not exist. Refuses what must not be written."""
    if branch.startswith("-") or git.ask("check-ref-format", _BRANCH + branch).code != 0:
        raise ChorusError(f"{branch!r} cannot be the name of a branch")
    listed = git.run("worktree", "list", "--porcelain").split(b"\n")
    if f"branch {_BRANCH}{branch}".encode() in listed:
        raise ChorusError(f"{branch}: this branch is checked out, so it is not changed; name another with --branch")
    answer = git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", _BRANCH + branch)
    if answer.code == 0 and not is_forced:
        raise ChorusError(f"{branch}: this branch exists already; --force replaces it, --branch names another")
    return answer.output.decode().strip() if answer.code == 0 else _NO_COMMIT


def _resolve(git: PersonsGit, revision: str) -> str:
    answer = git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if answer.code != 0:
        raise ChorusError(f"{revision}: there is no such commit in {git.folder}")
    return answer.output.decode().strip()


def _commit_step(
    store: SnapshotRepository,
    git: PersonsGit,
    top: Path,
    folder: Path,
    edits: Sequence[FileEdit],
    subject: Subject,
    left_out: list[str],
) -> MadeCommit | None:
    reasons = {edit: _why_not(edit) for edit in edits}
    sure = [edit for edit, reason in reasons.items() if not reason]
    left_out += [f"{os.fsdecode(edit.path)}: {reason}" for edit, reason in reasons.items() if reason]
    for _, some in groupby(sure, key=lambda edit: edit.commit.id):
        # Deletions first: a file may have taken the place of a folder.
        for edit in sorted(some, key=lambda edit: edit.new is not None):
            _apply(store, folder, edit)
    paths = [os.fsencode((folder / os.fsdecode(path)).relative_to(top)) for path in dict.fromkeys(e.path for e in sure)]
    ignored = _ignored(git, paths)
    left_out += [f"{os.fsdecode(path)}: the repository ignores it" for path in ignored]
    wanted = [path for path in paths if path not in ignored and _is_known(git, top, path)]
    if not wanted:
        return None
    git.run("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul", input_bytes=b"\0".join(wanted))
    if git.ask("diff", "--cached", "--quiet", "--no-ext-diff").code == 0:
        return None
    facts = sure[0].commit.facts
    title = _one_line(subject(facts))
    message = "\n".join([title, "", *_trailers(sure)]) + "\n"
    answer = git.ask(
        "commit", "--quiet", "--cleanup=whitespace", "--file=-", input_bytes=message.encode("utf-8", "replace")
    )
    if answer.code != 0:
        raise GitFailed(
            f"your repository refused the commit of {_turn(facts)}, and nothing was published: {answer.error}"
        )
    name = git.run("rev-parse", "--verify", "HEAD").decode().strip()
    return MadeCommit(name, title, facts.turn, len(wanted))


def _why_not(edit: FileEdit) -> str:
    """Returns why a change is not published; empty if it is."""
    facts = edit.commit.facts
    if facts.other_conversations:
        return "another conversation may have changed it at the same time"
    return f"it is in a worktree of its own, on {facts.branch or facts.head[:12]}" if facts.worktree else ""


def _apply(store: SnapshotRepository, folder: Path, edit: FileEdit) -> None:
    """Makes one change of an agent to a file of the temporary worktree. Raises `ChorusError` if it conflicts."""
    old, new = store.content(edit.old), store.content(edit.new)
    current = read_unless_folder(folder, edit.path)
    if isinstance(current, Skipped):
        raise _conflict(edit, current.reason)
    if current == new:
        return
    if current == old:
        wanted = new
    elif current is None or old is None or new is None or LINK in (current.mode, old.mode, new.mode):
        raise _conflict(edit, "it is another file at the commit that the work started from")
    else:
        merged = merge_contents(store, current.data, old.data, new.data)
        if merged is None:
            raise _conflict(edit, "changes of somebody else touch the same lines")
        wanted = FileContent(current.mode if old.mode == new.mode else new.mode, merged)
    if wanted is None:
        remove_file(folder, edit.path)
    else:
        write_file(folder, edit.path, wanted)


def _conflict(edit: FileEdit, why: str) -> ChorusError:
    return ChorusError(
        f"{os.fsdecode(edit.path)}: {_turn(edit.commit.facts)} cannot be published, because {why}; nothing was "
        "published; --base names the commit to start from"
    )


def _ignored(git: PersonsGit, paths: Sequence[bytes]) -> set[bytes]:
    found: set[bytes] = set()
    for start in range(0, len(paths), _BATCH):
        some = [os.fsdecode(path) for path in paths[start : start + _BATCH]]
        listed = git.run("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", *some)
        found.update(listed.split(b"\0"))
    return found - {b""}


def _is_known(git: PersonsGit, top: Path, path: bytes) -> bool:
    """Whether there is a file to add, or one to remove: git refuses to add a path that was never there."""
    return os.path.lexists(os.fsencode(top) + b"/" + path) or bool(
        git.ask("ls-files", "-z", "--", os.fsdecode(path)).output
    )


def _trailers(edits: Sequence[FileEdit]) -> list[str]:
    """Returns the lines that lead back, each value once."""
    every = [edit.commit.facts for edit in edits]
    pairs = [
        *(("Conversation", facts.conversation) for facts in every),
        *(("Turn", str(facts.turn or "")) for facts in every),
        *(("Prompt", facts.prompt) for facts in every),
        *(("Model", facts.model) for facts in every),
    ]
    return [f"Chorus-{name}: {_one_line(value)}" for name, value in dict.fromkeys(pairs) if value]


def _turn(facts: SnapshotFacts) -> str:
    return f"turn {facts.turn}" if facts.turn else "a change"


def _one_line(text: str) -> str:
    return " ".join(_UNSAFE.sub(" ", text).split())[:_MAX_SUBJECT].rstrip() or "Changes of an agent"


def _also(left_out: Sequence[str]) -> str:
    return f" ({left_out[0]})" if left_out else ""
