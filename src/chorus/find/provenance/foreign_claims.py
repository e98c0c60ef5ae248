"""What notes of git-ai and records of Agent Trace say about lines: shown beside our own answer, never mixed with it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from chorus.base.git import Repository
from chorus.core.alignment.lines import align
from chorus.core.blame import agent_trace, git_ai_notes
from chorus.core.blame.agent_trace import Trace
from chorus.core.blame.claims import Claim
from chorus.errors import ChorusError
from chorus.find.provenance.blamed_commits import blamed_commits
from chorus.find.provenance.git_notes import REF, read_notes
from chorus.find.provenance.revisions import read_at
from chorus.find.provenance.text_files import text_lines
from chorus.keep.snapshots.file_reading import FileContent, read_content
from chorus.keep.snapshots.undo import LINK

Claims = list[tuple[Claim, ...]]
"""The claims about each line."""
_MAX_LINES = 10_000_000


def claims_about(repository: Repository, folder: Path, commit: str, path: str, lines: Sequence[str]) -> Claims:
    """Returns the claims about the lines of a file at a commit, or of the same file in the folder."""
    nothing: Claims = [()] * len(lines)
    traces = _traces(folder)
    if not traces and repository.ask("rev-parse", "--verify", "--quiet", REF).code:
        return nothing
    try:
        committed = text_lines(read_at(repository, commit, path))
        blamed = blamed_commits(repository, commit, path)
        notes = read_notes(repository, {each.commit for each in blamed})
    except ChorusError:
        return nothing
    result = nothing
    for old_at, new_at in align(committed, lines):
        line = blamed[old_at] if old_at < len(blamed) else None
        if line is None:
            continue
        note = notes.get(line.commit)
        found = list(git_ai_notes.claims_of(note, line.path, line.number)) if note else []
        for trace in traces.get(line.commit, ()):
            found += agent_trace.claims_of(trace, line.path, line.number)
        result[new_at] = tuple(dict.fromkeys(found))
    return result


def claims_about_commit(repository: Repository, folder: Path, commit: str) -> list[tuple[Claim, int]]:
    """Returns what is claimed about the lines of a commit, with the number of lines; the largest first."""
    counts: Counter[Claim] = Counter()
    note = read_notes(repository, [commit]).get(commit)
    if note is not None:
        for each in (each for attestations in note.files.values() for each in attestations):
            counts[git_ai_notes.claim_of(note, each.key)] += sum(last - first + 1 for first, last in each.ranges)
    for trace in _traces(folder).get(commit, ()):
        for file in trace.files:
            for conversation in file.conversations:
                for each in conversation.ranges:
                    claim = agent_trace.claim_of(trace, conversation, each)
                    counts[claim] += max(0, each.end_line - each.start_line + 1)
    return [(claim, min(lines, _MAX_LINES)) for claim, lines in counts.most_common()]


def _traces(folder: Path) -> dict[str, list[Trace]]:
    """Returns commit → its records, from the file in the workspace. A link is not followed."""
    content = read_content(folder, agent_trace.FILE.encode())
    found: dict[str, list[Trace]] = {}
    if isinstance(content, FileContent) and content.mode != LINK:
        for trace in agent_trace.read_traces(content.data):
            if trace.vcs is not None and trace.vcs.type == "git":
                found.setdefault(trace.vcs.revision, []).append(trace)
    return found
