"""Whether a rule matches an action: yes, no, or perhaps. What is not known never matches a rule that allows."""

import posixpath
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import IntEnum

from msgspec import Struct

from chorus.core.rules.actions import Action
from chorus.core.rules.named_paths import is_windows_path, paths_of
from chorus.core.rules.reached_hosts import is_host, may_name_host, reaches_only
from chorus.core.rules.rule import INSIDE, OUTSIDE, CommandPattern, Rule, RuleBehaviour
from chorus.core.rules.shell_words import Word


class Match(IntEnum):
    """Whether a rule matches."""

    NO = 0
    PERHAPS = 1
    YES = 2


class Situation(Struct, frozen=True, kw_only=True):
    """Where and when a request is made."""

    root: str | None
    """The folder of the workspace; None if it is not known."""
    workspaces: tuple[str, ...] = ()
    """The id and the names of the workspace."""
    agent: str | None = None
    is_subagent: bool = False
    at: datetime
    """The time, in the person's time zone."""
    resolve: Callable[[str], str] = lambda path: path
    """Returns a path without links, as the system sees it."""
    expand: Callable[[str], Sequence[str] | None] = lambda pattern: ()
    """Returns the paths that a pattern names now; None if that is not known."""
    is_cwd_exact: bool = True
    """Whether the client is in the folder that the request names, and not in one below it."""


def matches(rule: Rule, action: Action, situation: Situation) -> Match:
    """Returns whether the rule is about this action. `YES` for a rule that allows means: everything is known."""
    found = [_situation(rule, situation)]
    if found[0] is Match.NO:
        return Match.NO
    found.append(_tool(rule, action))
    if rule.command is not None:
        found.append(_command(rule, rule.command, action, situation))
    if rule.behaviour == "allow" and not set(action.assigned) <= set(rule.variables):
        return Match.NO
    if rule.variables and not rule.command:
        found.append(Match.YES if set(action.assigned) & set(rule.variables) and not action.words else Match.NO)
    if rule.folders:
        found.append(_folders(rule, action, situation))
    if rule.hosts:
        found.append(_hosts(rule, action))
    return min(found)


def _situation(rule: Rule, situation: Situation) -> Match:
    at = situation.at
    if rule.until is not None and f"{at:%Y-%m-%d}" > rule.until:
        return Match.NO
    if rule.days and at.weekday() not in rule.days:
        return Match.NO
    if rule.hours is not None and not _is_within(rule.hours, at.hour * 60 + at.minute):
        return Match.NO
    if rule.is_subagent is not None and rule.is_subagent != situation.is_subagent:
        return Match.NO
    if rule.agents and situation.agent not in rule.agents:
        return Match.NO if situation.agent is not None else Match.PERHAPS
    if rule.workspaces and not set(rule.workspaces) & set(situation.workspaces):
        return Match.NO if situation.workspaces else Match.PERHAPS
    return Match.YES


def _is_within(hours: tuple[int, int], minute: int) -> bool:
    start, end = hours
    return start <= minute < end if start <= end else minute >= start or minute < end


def _tool(rule: Rule, action: Action) -> Match:
    if not rule.tools:
        if rule.behaviour == "allow":
            # A rule about a command or a variable allows nothing else.
            return Match.YES if action.is_shell and (action.words or action.assigned) else Match.NO
        return Match.YES
    names = {action.tool}
    if rule.behaviour != "allow" and action.is_shell:
        names.add("Bash")
    is_named = any(_is_like(pattern, name, rule.behaviour) for pattern in rule.tools for name in names)
    return Match.YES if is_named else Match.NO


def _is_like(pattern: str, name: str, behaviour: RuleBehaviour) -> bool:
    if not pattern.endswith("*"):
        return name == pattern
    # `mcp__a__b__c` may be a tool of the server `a`, or of the server `a__b`.
    is_clear = behaviour != "allow" or "__" not in name[len(pattern) - 1 :]
    return name.startswith(pattern[:-1]) and is_clear


def _command(rule: Rule, pattern: CommandPattern, action: Action, situation: Situation) -> Match:
    if not action.words:
        return Match.NO
    if rule.behaviour == "allow":
        return Match.YES if _is_allowed(pattern, action, situation) else Match.NO
    return _is_caught(pattern, action.words)


def _is_allowed(pattern: CommandPattern, action: Action, situation: Situation) -> bool:
    words = action.words
    count = len(pattern.words)
    if len(words) < count or (len(words) > count and not pattern.is_open):
        return False
    if pattern.is_open and count < action.must_name:
        return False
    if action.is_opaque and (pattern.is_open or not all(word.is_fixed for word in words)):
        return False
    if not all(word.is_fixed and word.text == wanted for word, wanted in zip(words, pattern.words, strict=False)):
        return False
    program = words[0].text
    is_relative = "/" in program and not program.startswith("/")
    # A program below the workspace is that program only there.
    is_there = situation.root is not None and situation.is_cwd_exact
    return not is_relative or (is_there and action.folders == (posixpath.normpath(situation.root or ""),))


def _is_caught(pattern: CommandPattern, words: tuple[Word, ...]) -> Match:
    """Returns whether a rule that denies or asks matches: the name of the program without its folder, in any case."""
    program = posixpath.basename(words[0].text).casefold()
    if program != posixpath.basename(pattern.words[0]).casefold():
        return Match.NO
    wanted, given = pattern.words[1:], words[1:]
    if len(given) >= len(wanted) and all(
        word.is_fixed and word.text == each for word, each in zip(given, wanted, strict=False)
    ):
        return Match.YES
    # The words may stand behind options (`git -C folder push`), or be known only when it runs.
    left = list(wanted)
    for word in given:
        if word.may_split:
            return Match.PERHAPS
        if left and (not word.is_fixed or word.text == left[0]):
            left.pop(0)
    return Match.NO if left else Match.PERHAPS


def _folders(rule: Rule, action: Action, situation: Situation) -> Match:
    root, bases = situation.root, action.folders
    if root is None or bases is None or not bases:
        return Match.NO if rule.behaviour == "allow" else Match.PERHAPS
    wanted = [root] if rule.folders[0] in (INSIDE, OUTSIDE) else [posixpath.join(root, each) for each in rule.folders]
    is_sure, paths = _paths(action)
    is_sure = is_sure and not any(map(is_windows_path, paths))
    places = {posixpath.join(base, path) for base in bases for path in paths}
    if not paths and rule.behaviour == "allow" and not action.words:
        return Match.NO
    if rule.behaviour == "allow":
        # A name that a pattern stands for may be a link that leads elsewhere.
        for pattern in {posixpath.join(base, each) for base in bases for each in _patterns(action)}:
            named = situation.expand(pattern)
            is_sure = is_sure and named is not None
            places.update(named or ())
    # A command also runs in its folder, and touches what is there.
    places |= set(bases) if action.words else set()
    all_inside = all(_is_inside(place, wanted, situation) for place in places)
    any_inside = any(_is_inside(place, wanted, situation) for place in places)
    if rule.behaviour == "allow":
        return Match.YES if is_sure and all_inside else Match.NO
    hit = not all_inside if rule.folders[0] == OUTSIDE else any_inside
    if rule.folders[0] != OUTSIDE:
        # Some file systems do not distinguish letters by case, or composed letters from others.
        alike = [_plain(folder) for folder in wanted]
        is_sure = is_sure and not any(_is_inside(_plain(place), alike, situation) for place in places)
    return Match.YES if hit else Match.NO if is_sure else Match.PERHAPS


def _paths(action: Action) -> tuple[bool, list[str]]:
    """Returns whether all paths of an action are known, and those that are."""
    return paths_of(action.words) if action.words else (action.paths is not None, list(action.paths or ()))


def _patterns(action: Action) -> list[str]:
    return [word.text for word in action.words[1:] if word.kind == "glob"]


def _is_inside(path: str, folders: list[str], situation: Situation) -> bool:
    """Returns whether a path is below one of the folders, as it is written and with all links resolved."""
    if not path.startswith("/") or "/~" in path:
        return False
    written = posixpath.normpath(path)
    if not any(_is_below(written, posixpath.normpath(folder)) for folder in folders):
        return False
    real = situation.resolve(path)
    return any(_is_below(real, situation.resolve(folder)) for folder in folders)


def _plain(path: str) -> str:
    return posixpath.normpath(unicodedata.normalize("NFKC", path).casefold())


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _hosts(rule: Rule, action: Action) -> Match:
    if action.hosts:
        named = all(is_host(rule.hosts, host) for host in action.hosts)
        if rule.behaviour != "allow" and not named:
            # `127.0.0.1` has other spellings.
            named = bool(may_name_host(rule.hosts, "", [Word(host) for host in action.hosts if host[0].isdigit()]))
        return Match.YES if named else Match.NO
    if not action.words:
        return Match.NO if rule.behaviour == "allow" else Match.PERHAPS
    program = action.words[0].text
    if rule.behaviour == "allow":
        given = action.words[len(rule.command.words) if rule.command else 1 :]
        return Match.YES if reaches_only(rule.hosts, program, given) else Match.NO
    named = may_name_host(rule.hosts, program, action.words[1:])
    return Match.PERHAPS if named is None else Match.YES if named else Match.NO
