"""The notes of git-ai in a person's repository: read at any time, written only because the person asked for it."""

from collections.abc import Collection, Mapping

from chorus.base.git import PersonsGit, Repository
from chorus.core.blame.git_ai_notes import AuthorshipNote, merged, read_note, write_note
from chorus.errors import ChorusError, GitFailed
from chorus.keep.snapshots.objects import ObjectReader

REF = "refs/notes/ai"
_MAX_BYTES = 4_000_000
_MESSAGE = b"Notes added by chorus\n"


def read_notes(repository: Repository, commits: Collection[str]) -> dict[str, AuthorshipNote]:
    """Returns the notes of commits. A note that cannot be read is left out."""
    found: dict[str, AuthorshipNote] = {}
    for commit, text in _texts(repository, commits).items():
        try:
            found[commit] = read_note(text)
        except ValueError:
            continue
    return found


def add_notes(repository: Repository, git: PersonsGit, notes: Mapping[str, AuthorshipNote]) -> dict[str, str]:
    """Adds what notes say to the notes that commits have. Returns commit → why its note was left as it is.

    The ref of the notes moves on once, from the state that was read, or not at all: if somebody else changed it in
    between, `GitFailed` is raised and nothing is written. No other ref is touched.
    """
    answer = repository.ask("rev-parse", "--verify", "--quiet", REF)
    tip = answer.output.decode().strip() if answer.code == 0 else ""
    texts = _texts(repository, notes)
    refused: dict[str, str] = {}
    changed: dict[str, str] = {}
    for commit, ours in notes.items():
        try:
            known = read_note(texts[commit]) if commit in texts else None
        except ValueError as error:
            refused[commit] = f"it has a note that is not known: {error}"
            continue
        new = merged(known, ours) if known is not None else ours
        if new.files and (known is None or new != known):
            changed[commit] = write_note(new)
    if changed:
        _write(git, tip, changed)
    return refused


def _write(git: PersonsGit, tip: str, texts: Mapping[str, str]) -> None:
    person = git.run("var", "GIT_COMMITTER_IDENT").strip()
    stream = [b"commit ", REF.encode(), b"\ncommitter ", person, b"\n", _data(_MESSAGE)]
    if tip:
        stream.append(f"from {tip}\n".encode())
    for commit, text in texts.items():
        stream += [f"N inline {commit}\n".encode(), _data(text.encode("utf-8", "replace"))]
    try:
        git.run("fast-import", "--quiet", "--done", input_bytes=b"".join([*stream, b"\ndone\n"]))
    except GitFailed as error:
        raise GitFailed(f"the notes were not written, and nothing changed; try again ({error})") from error


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)


def _texts(repository: Repository, commits: Collection[str]) -> dict[str, str]:
    """Returns commit → the text of its note, for those that have one of a reasonable size."""
    listed = repository.ask("notes", f"--ref={REF}", "list")
    if listed.code or not listed.output:
        return {}
    wanted = set(commits)
    blobs = dict(line.split(" ", 1)[::-1] for line in listed.output.decode("ascii", "replace").splitlines())
    reader = ObjectReader(repository)
    found: dict[str, str] = {}
    try:
        for commit in wanted & blobs.keys():
            note = reader.find(blobs[commit])
            if note is not None and note[0] == "blob" and len(note[1]) <= _MAX_BYTES:
                found[commit] = note[1].decode("utf-8", "replace")
    finally:
        reader.close()
    return found


def resolve_all(repository: Repository, revisions: Collection[str]) -> list[str]:
    """Returns the commits that revisions and ranges (`main..`) name, the newest first. Raises `ChorusError`."""
    for each in revisions:
        if each.startswith("-") or not each.isprintable():
            raise ChorusError(f"{each!r}: this names no commit")
    answer = repository.ask("rev-list", *_limits(revisions), "--end-of-options", *revisions)
    if answer.code:
        raise ChorusError(f"{' '.join(revisions)}: there is no such commit in {repository.work_tree}")
    return answer.output.decode().split()


def _limits(revisions: Collection[str]) -> list[str]:
    """Single revisions mean these commits only, and not everything before them."""
    return [] if any(".." in each for each in revisions) else ["--no-walk=unsorted"]
