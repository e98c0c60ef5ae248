"""Progress in the output of programs, also while it grows.

Only the beginning and the end of an output are read: the beginning may name the total, the end has the latest state.
So the cost of a long output is that of a short one.
"""

import re

from chorus.core.conversation.client_reports import CUT, clip
from chorus.core.progress.commands import only_shows_text
from chorus.core.progress.counts import Count, count_of
from chorus.core.progress.prose import read_sentence, without_quotes

HEAD_CHARS, TAIL_CHARS = 1_500, 6_000
_LINES, _PROSE_LINES, _LINE_CHARS = 60, 10, 300
_ESCAPES = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_STAMP = re.compile(
    r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\s\]]{0,16}\]?\s{1,3})?"
    r"(?:\[?(?:INFO|DEBUG|NOTICE|info|debug)\]?:?\s{1,4}(?:[A-Za-z_][\w.]{1,60}:\s)?)?"
    r"(?:\[?\d\d:\d\d:\d\d\]?\s)?(?:(?:={1,3}>|-{1,3}>|::|[*•▶])\s)?"
)
_MAYBE = re.compile(r"\d\s?(?:/|%|, [a-z]|[^\W\d]{1,10}[\s,])|[第件個个中개단]|Total:")
"""What every line with progress has. Most lines of most outputs do not."""
_NOT_STEPS = re.compile(
    r"\b(?:attempts?|retry|retries|retrying|score|points?|rating|rated|ratio|stars?|try|size|as user|uid)\b",
    re.IGNORECASE,
)
_TROUBLE = re.compile(r"\[?(?:WARN|WARNING|ERROR|FATAL|warn|warning|error|fatal)\b")
"""The beginning of a line that says what is wrong."""
_PLACE = re.compile(r"[^\s:]{0,150}[A-Za-z/][^\s:]{0,50}:\d{1,7}:")
"""The beginning of a line that is about a line of a file."""
_CODE_MARKS = ('(f"', '("', "('", '":', "=>", "//", "==", "print", "log(", "echo ", "assert")
_LIKELY = 0.7


def ends_of(text: str) -> str:
    """Returns the beginning and the end of an output: all of it that this module looks at."""
    return clip(text, HEAD_CHARS, TAIL_CHARS)


def read_output(text: str, command: str | None = None) -> Count | None:
    """Returns the latest progress in the output of a command; None if there is none."""
    if command is not None and only_shows_text(command):
        return None
    shown = ends_of(text)
    if "\x1b" in shown:
        shown = _ESCAPES.sub("", shown)
    lines = _last_lines(shown)
    if not lines:
        return None
    # The patterns of programs take longer to compile than most commands take: only an output needs them.
    from chorus.core.progress.runners import read_runner

    if (count := read_runner(shown, is_whole=CUT not in shown)) is not None:
        return count
    for n, (before, line) in enumerate(reversed(lines)):
        if (count := read_line(line, is_read_as_prose=n < _PROSE_LINES) or _rewritten(before, line)) is not None:
            return count
    return None


def read_line(line: str, *, is_read_as_prose: bool) -> Count | None:
    """Returns the progress in one line of output: in one of the known forms, or in words."""
    line = line[_STAMP.match(line).end() :]  # type: ignore[union-attr]  # every part of it may be missing
    if not _MAYBE.search(line):
        return None
    from chorus.core.progress.lines import LINE_RULES

    for rule in LINE_RULES:
        if (match := rule.pattern.match(line)) and (count := rule.read(rule.step, match)) is not None:
            return count
    if (
        not is_read_as_prose
        or _TROUBLE.match(line)
        or _PLACE.match(line)
        or _NOT_STEPS.search(line)
        or any(mark in line for mark in _CODE_MARKS)
    ):
        return None
    found = read_sentence(without_quotes(line.strip())) or _named_count(line)
    return count_of(found.step, found.completed, found.total, _LIKELY) if found and found.total else None


_NAMED_COUNT = re.compile(
    r"\s{0,8}((?:[A-Z][a-z]{2,20}|[a-z]{2,20}(?:ing|ed))(?:\s[a-z]{2,20}){0,3}?)[:\s]\s{0,3}#?"
    r"(\d{1,3}(?:,\d{3}){1,2}|\d{1,9})\s?(?:/|of|out of)\s?(\d{1,3}(?:,\d{3}){1,2}|\d{1,9})"
    r"(?=$|[\s:,…)\]]|\.(?!\w))(?!\s?(?:points?|stars?|users?|used|available|free|[kKMGT]i?B|[kKMG]?bits?|bytes?|B|px)\b)"
)
_WORKING = re.compile(
    r"(?!(?:fail|miss|skipp|us|rat|rank|scor|need|wait|remain|pend|sett|warn|str|spend|list|charg|discharg|winn|los|match|"
    r"expect|requir|cover|mean)ing\b)[a-z]{2,20}ing\b|"
    r"(?:(?:process|convert|copi|download|upload|import|export|index|migrat|compil|complet|finish|load|sync|fetch|analy[sz]|"
    r"check|render|scann|crawl|pars|transcod|encod|archiv|extract|compress|restor|insert|delet|remov|updat|creat|"
    r"generat|install|deploy|publish|seed|test|validat|verifi|visit|translat|optimi[sz]|resiz|transferr|transform|"
    r"evaluat|train|simulat|solv|mov|renam|push|pull|hash|sign|backfill|clean|format|merg)ed|"
    r"built|written|epoch|batch|iteration|step|file|progress|chunk|item|test|frame|page|row|"
    r"record|task|stage|phase|round|module|package|image|job|generation|trial|episode|fold|iter|sample)\b",
    re.IGNORECASE,
)
"""The first word of a line that counts what a program does or did. Words such as "failed" count something else."""
_OBJECT = re.compile(r"(?:ing|ed)$")
"""A verb before the numbers: the noun after them is what it works on, and not the start of a description."""
_FAILS = re.compile(r"\s?(?:fail\w{0,3}|crash\w{0,3}|died|hung|errors?|times?)\b", re.IGNORECASE)


def _named_count(line: str) -> Count | None:
    match = _NAMED_COUNT.match(line)
    if match is None or not _WORKING.match(match[1]):
        return None
    # Imported where it is needed, because it takes long to compile.
    from chorus.core.progress.english import is_description

    rest = line[match.end() :]
    if _FAILS.match(rest) if _OBJECT.search(match[1]) else is_description(rest):
        return None
    return count_of(match[1], match[2], match[3], _LIKELY)


_ONLY_PERCENT = re.compile(r"([^\d%]{0,60})(\d{1,3})(?:\.\d{1,3})?\s?%[^\d%]{0,60}$")


def _rewritten(before: str, line: str) -> Count | None:
    """Returns the percentage of a line that replaced itself, and in which only the percentage grew."""
    earlier, now = _ONLY_PERCENT.match(before), _ONLY_PERCENT.match(line)
    if earlier is None or now is None or earlier[1].strip() != now[1].strip() or int(earlier[2]) > int(now[2]):
        return None
    return count_of(now[1].strip(" :.[(") or "Working", now[2], 100, _LIKELY)


def _last_lines(text: str) -> list[tuple[str, str]]:
    """Returns the last lines as a terminal shows them, each after the line that it replaced.

    What comes after a carriage return replaces the line.
    """
    found: list[tuple[str, str]] = []
    for line in reversed(text.split("\n")):
        replaced, _, shown = line.rstrip(" \t\r").rpartition("\r")
        shown = shown or line
        if shown.strip():
            before = replaced.rstrip(" \t\r").rpartition("\r")[2]
            found.append((before[:_LINE_CHARS], shown.rstrip()[:_LINE_CHARS]))
            if len(found) == _LINES:
                break
    return found[::-1]
