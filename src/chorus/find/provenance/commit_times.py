"""When the lines of a file were committed, according to `git blame`: a line cannot be younger than its commit."""

from chorus.base.git import Repository
from chorus.core.alignment.lines import align
from chorus.core.blame.origins import Evidence, Origin, Origins
from chorus.errors import ChorusError, GitFailed
from chorus.find.provenance.blamed_commits import blamed_commits
from chorus.find.provenance.revisions import read_at
from chorus.find.provenance.text_files import text_lines

_NOTHING_THERE = 1
"""The exit code of git if a repository has no commit yet."""


def without_older_lines(
    lines: list[str], origins: Origins, times_ms: dict[Origin, int], repository: Repository, commit: str, path: str
) -> Origins:
    """Returns the origins without those of recorded edits whose lines were committed before the edit.

    `lines` are those of the commit, or of the folder, which are compared with those of the commit. If git cannot say
    when they were committed, recorded edits are nobody's.
    """
    if not any(origin and origin.evidence is Evidence.RECORDS for origin in origins):
        return origins
    if repository.ask("rev-parse", "--verify", "--quiet", "--end-of-options", commit).code == _NOTHING_THERE:
        return origins
    try:
        committed = text_lines(read_at(repository, commit, path))
        blamed = blamed_commits(repository, commit, path)
    except GitFailed:
        return [None if origin and origin.evidence is Evidence.RECORDS else origin for origin in origins]
    except ChorusError:
        # The file is not in the commit.
        return origins
    result = list(origins)
    for old_at, new_at in align(committed, lines):
        origin = origins[new_at]
        if origin is None or origin.evidence is not Evidence.RECORDS or old_at >= len(blamed):
            continue
        # Commits are dated in seconds.
        if blamed[old_at].time_ms + 999 < times_ms.get(origin, 0):
            result[new_at] = None
    return result
