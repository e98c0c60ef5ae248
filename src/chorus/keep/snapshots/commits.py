"""What a snapshot says about itself: a commit with one subject line and trailers."""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct

_UNSAFE = re.compile(r"[\x00-\x1f\x7f<>]+")
_MAX_CHARS = 500
_PREFIX = "Chorus-"


class SnapshotKind(StrEnum):
    """Why a snapshot was taken."""

    BEFORE = "before"
    """The files as a call found them: what changed since the snapshot before was not done by the agent."""
    AFTER = "after"
    """The files as a call left them."""
    TURN = "turn"
    """Everything that changed in the workspace until a turn ended."""
    UNDO = "undo"
    """The files after a person undid something."""
    SWITCH = "switch"
    """The files that git changed, because another branch or commit was checked out: nobody wrote them."""


class Feed(StrEnum):
    """How Chorus learned about an edit, the most reliable first."""

    CONTROL = "control"
    """The control channel of a run of Chorus: before a call runs, and after it."""
    HOOK = "hook"
    """An installed hook: before a call runs, and after it."""
    FILE = "file"
    """The session file of a client that a person started: afterwards."""
    STREAM = "stream"
    """The output of a client that Chorus follows, such as a log or a pipe: afterwards, and with less in it."""


class SnapshotFacts(Struct, frozen=True, kw_only=True):
    """Everything that is known about a snapshot when it is taken."""

    kind: SnapshotKind
    conversation: str
    time_ms: int
    """When it was taken, in milliseconds since 1970."""
    agent: str = ""
    """The sub-agent whose call it was; empty for the main thread."""
    call: str = ""
    """The id of the tool call."""
    tool: str = ""
    turn: int = 0
    """The number of the turn in the conversation, from 1; 0 if it is not known."""
    prompt: str = ""
    """The uuid of the prompt that the turn answers."""
    model: str = ""
    feed: Feed = Feed.FILE
    skipped: tuple[str, ...] = ()
    """Files that are not part of it, each with the reason."""
    head: str = ""
    """The commit that was checked out in the person's repository; empty if there is none."""
    branch: str = ""
    worktree: str = ""
    """The path in the workspace of the worktree of its repository in which the agent worked; empty if in none."""
    rebuilt: tuple[str, ...] = ()
    """Files whose content, before or after, comes from the record and not from the disk, each with the reason."""
    others: tuple[str, ...] = ()
    """Conversations that worked in the same workspace meanwhile: a change may be theirs. It contains the conversation
    itself if the change may come from another agent of it."""

    @property
    def other_conversations(self) -> tuple[str, ...]:
        return tuple(each for each in self.others if each != self.conversation)


class Commit(Struct, frozen=True):
    """A snapshot in the repository."""

    id: str
    tree: str
    parents: tuple[str, ...]
    subject: str
    facts: SnapshotFacts


def encode_commit(tree: str, parents: Iterable[str], subject: str, facts: SnapshotFacts) -> bytes:
    """Returns the commit object of a snapshot."""
    seconds = facts.time_ms // 1000
    who = f"Claude ({_one_line(facts.model)})" if facts.model else "Claude"
    if facts.kind not in (SnapshotKind.AFTER, SnapshotKind.TURN):
        who = "Chorus"
    lines = [f"tree {tree}", *(f"parent {each}" for each in parents)]
    lines.append(f"author {who} <agent@chorus.invalid> {seconds} +0000")
    lines.append(f"committer Chorus <chorus@chorus.invalid> {seconds} +0000")
    lines += ["", _one_line(subject), "", *_trailers(facts)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


@lru_cache(1_024)
def parse_commit(name: str, data: bytes) -> Commit:
    """Returns the snapshot that a commit object describes. What is missing or unreadable keeps its default."""
    head, _, message = data.partition(b"\n\n")
    tree, parents = "", []
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"tree":
            tree = value.decode("ascii", "replace")
        elif key == b"parent":
            parents.append(value.decode("ascii", "replace"))
    subject, _, rest = message.decode("utf-8", "replace").partition("\n")
    return Commit(name, tree, tuple(parents), subject, _facts(rest))


def _trailers(facts: SnapshotFacts) -> list[str]:
    single = {
        "Kind": facts.kind.value,
        "Conversation": facts.conversation,
        "Agent": facts.agent,
        "Call": facts.call,
        "Tool": facts.tool,
        "Turn": str(facts.turn or ""),
        "Prompt": facts.prompt,
        "Model": facts.model,
        "Feed": facts.feed.value,
        "Head": facts.head,
        "Branch": facts.branch,
        "Worktree": facts.worktree,
        "Time": str(facts.time_ms),
    }
    lines = [f"{_PREFIX}{name}: {_one_line(value)}" for name, value in single.items() if value]
    lines += [f"{_PREFIX}Skipped: {_one_line(each)}" for each in facts.skipped]
    lines += [f"{_PREFIX}Rebuilt: {_one_line(each)}" for each in facts.rebuilt]
    return lines + [f"{_PREFIX}Other: {_one_line(each)}" for each in facts.others]


def _facts(text: str) -> SnapshotFacts:
    found: dict[str, list[str]] = {}
    for line in text.split("\n"):
        name, colon, value = line.partition(": ")
        if colon and name.startswith(_PREFIX):
            found.setdefault(name.removeprefix(_PREFIX), []).append(value)

    def one(name: str) -> str:
        return found.get(name, [""])[0]

    return SnapshotFacts(
        kind=_KINDS.get(one("Kind"), SnapshotKind.TURN),
        conversation=one("Conversation"),
        time_ms=int(one("Time")) if one("Time").isdecimal() else 0,
        agent=one("Agent"),
        call=one("Call"),
        tool=one("Tool"),
        turn=int(one("Turn")) if one("Turn").isdecimal() else 0,
        prompt=one("Prompt"),
        model=one("Model"),
        feed=_FEEDS.get(one("Feed"), Feed.FILE),
        head=one("Head"),
        branch=one("Branch"),
        worktree=one("Worktree"),
        skipped=tuple(found.get("Skipped", ())),
        rebuilt=tuple(found.get("Rebuilt", ())),
        others=tuple(found.get("Other", ())),
    )


def _one_line(text: str) -> str:
    return _UNSAFE.sub(" ", text).strip()[:_MAX_CHARS]


_KINDS = {kind.value: kind for kind in SnapshotKind}
_FEEDS = {feed.value: feed for feed in Feed}
