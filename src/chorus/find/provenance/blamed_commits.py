"""The commit that each line of a file comes from, according to `git blame`."""

from msgspec import Struct

from chorus.base.git import Repository


class CommittedLine(Struct, frozen=True):
    """Where a line was committed."""

    commit: str
    number: int
    """The number of the line in that commit, from 1."""
    path: str
    """The path of the file in that commit."""
    time_ms: int


def blamed_commits(repository: Repository, commit: str, path: str) -> list[CommittedLine]:
    """Returns where each line of a file was committed; blanks and moves do not count. Raises `GitFailed`.

    Only commits are blamed: to blame a file in a folder, git would run the filters of the repository.
    """
    # Git adds all settings of `blame.ignoreRevsFile` up, so that only this option keeps it from reading such files.
    output = repository.run(
        "blame", "--porcelain", "-w", "-M", "--no-textconv", "--no-ignore-revs-file", commit, "--", path
    )
    times: dict[str, int] = {}
    paths: dict[str, str] = {}
    found: list[CommittedLine] = []
    name, number = "", 0
    for line in output.split(b"\n"):
        if line.startswith(b"\t"):
            found.append(CommittedLine(name, number, paths.get(name, path), times.get(name, 0) * 1000))
        elif line.startswith(b"committer-time "):
            value = line.removeprefix(b"committer-time ")
            times[name] = int(value) if value.isdigit() else 0
        elif line.startswith(b"filename "):
            paths[name] = line.removeprefix(b"filename ").decode("utf-8", "surrogateescape")
        elif len((words := line.split(b" "))[0]) >= 40 and len(words) >= 3 and words[1].isdigit():
            name, number = words[0].decode("ascii", "replace"), int(words[1])
    return found
