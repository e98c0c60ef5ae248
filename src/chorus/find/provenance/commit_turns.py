"""Which commit each turn of a conversation went into: the one that has the most lines of the turn."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct, structs

from chorus.base.config import Workspace
from chorus.base.git import Repository
from chorus.core.blame.origins import Edit
from chorus.core.conversation.items import Call
from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.rows import Spent
from chorus.errors import ChorusError, GitFailed
from chorus.find.index.port import Index
from chorus.find.provenance.commit_origins import edits_of_commit
from chorus.find.provenance.named_repositories import histories_in
from chorus.keep.archive.listing import name_of
from chorus.keep.vault.files import FileVault

NO_COMMIT = "no commit"
_MAX_COMMITS = 1_000
"""The newest ones of a repository."""


class CommitSpending(Struct, frozen=True):
    """What was used for each commit. Everything that was used is in exactly one group."""

    groups: dict[str, list[Spent]]
    """Id of the commit, or `NO_COMMIT` → what was used for it."""
    subjects: dict[str, str]


def spending_by_commit(
    index: Index, vault: FileVault, workspaces: Iterable[tuple[Workspace, Repository]], used: Iterable[Spent]
) -> CommitSpending:
    """Returns `used`, what some conversations used, in groups: each turn at the commit that it went into."""
    wanted: dict[str, list[Spent]] = {}
    for spent in used:
        wanted.setdefault(spent.conversation, []).append(spent)
    shares: dict[tuple[str, str], Counter[str]] = {}
    subjects: dict[str, str] = {}
    turns: dict[str, _Turns] = {}
    for workspace, repository in workspaces:
        with histories_in(index, vault, vault.root, workspace) as histories:
            for commit, subject in _commits(repository):
                try:
                    edits = edits_of_commit(histories, repository, commit).lines
                except ChorusError:
                    continue
                for edit, lines in edits.items():
                    name = name_of(vault.root, edit.conversation)
                    if name is None or name not in wanted:
                        continue
                    subjects[commit] = subject
                    known = turns.get(name) or turns.setdefault(name, _Turns(index, name))
                    shares.setdefault((name, known.of(edit)), Counter())[commit] += lines
    groups: dict[str, list[Spent]] = {}
    for name, spent in wanted.items():
        counted: list[Spent] = []
        for turn, sums in turns[name].sums.items() if name in turns else ():
            counts = shares.get((name, turn))
            if counts:
                # Of equal commits the first one counts: the history is read from its beginning.
                commit = counts.most_common(1)[0][0]
                groups.setdefault(commit, []).extend(structs.replace(each, conversation=name) for each in sums)
                counted += sums
        groups.setdefault(NO_COMMIT, []).extend(_without(spent, counted) if counted else spent)
    return CommitSpending({key: spent for key, spent in groups.items() if spent}, subjects)


def _without(spent: Iterable[Spent], counted: Iterable[Spent]) -> list[Spent]:
    """Returns what is left of `spent`, as far as prices and days tell it apart."""
    sums: dict[tuple[object, ...], Spent] = {}
    for sign, rows in ((1, spent), (-1, counted)):
        for each in rows:
            key = (each.quarter[:10], each.model, each.tier, each.prompt_over, each.is_per_turn)
            sums[key] = _plus(sums.get(key), each, sign)
    return [each for each in sums.values() if each.messages > 0 or any(structs.astuple(each.tokens))]


def _plus(known: Spent | None, more: Spent, sign: int) -> Spent:
    """Returns the sum of both, or their difference; a difference is never below 0."""
    base = known or structs.replace(more, quarter=more.quarter[:10], tokens=Tokens(), messages=0, lower_bounds=0)
    pairs = zip(structs.astuple(base.tokens), structs.astuple(more.tokens), strict=True)
    return structs.replace(
        base,
        tokens=Tokens(*(max(0, one + sign * other) for one, other in pairs)),
        messages=max(0, base.messages + sign * more.messages),
        lower_bounds=max(0, base.lower_bounds + sign * more.lower_bounds),
    )


class _Turns:
    """The turns of one conversation, as its usage is divided: each begins with a prompt of a person."""

    def __init__(self, index: Index, name: str) -> None:
        self.sums: Mapping[str, list[Spent]] = index.turn_sums(name)
        self._prompts = sorted(self.sums)
        calls = (entry.item for entry in index.all_entries(name) if isinstance(entry.item, Call))
        self._calls = {each.tool_use_id: each.started_at or each.ended_at for each in calls}

    def of(self, edit: Edit) -> str:
        """Returns the turn of an edit: by the time of its call, else by its number; "" if it is not known."""
        time = self._calls.get(edit.call)
        if time is not None:
            at = bisect_right(self._prompts, f"{time} \U0010ffff")
            return self._prompts[at - 1] if at else ""
        prompts = [each for each in self._prompts if each]
        return prompts[edit.turn - 1] if 0 < edit.turn <= len(prompts) else ""


def _commits(repository: Repository) -> list[tuple[str, str]]:
    """Returns the commits of all branches with their subjects, the oldest first. Merges add no lines of their own."""
    try:
        output = repository.run(
            "log", "--format=%H %s", "-z", "--no-merges", "--date-order", f"--max-count={_MAX_COMMITS}", "--branches",
            "HEAD",
        )  # fmt: skip
    except GitFailed:
        return []
    lines = [line.partition(" ") for line in output.decode("utf-8", "replace").split("\0") if line]
    return [(commit, subject) for commit, _, subject in reversed(lines)]
