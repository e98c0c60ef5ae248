"""Progress in the words of the model: "Running test 5 of 20...", "Step 2/5: …", "now the third of four files".

Only the present counts: conditions, quotes, code, and what happened to others or earlier are left out. The last
statement of a text wins.
"""

import re
from typing import TYPE_CHECKING

from chorus.core.progress.counts import Count, count_of, last_match
from chorus.core.progress.numbers import may_be_english, may_be_other

if TYPE_CHECKING:
    from chorus.core.progress.languages import Language

_WINDOW = 6_000
"""Only the end of a long text is read: progress is what it says last."""
_SENTENCE_CHARS = 400
_END = re.compile(r"(?<=[.!?…;])\s+|(?<=[。！？])")
_CODE = re.compile(r"`[^`\n]{1,300}`")
_QUOTED = re.compile(r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|„[^“”\n]{1,300}[“”]|「[^」\n]{1,200}」")
_LEADING = re.compile(r"[\s#*_>|•·-]{0,20}(?:\d{1,3}[.)]\s)?[\s*_]{0,8}")
_EMPHASIS = re.compile(r"\*{1,3}|__")
_AFTER_COLON = re.compile(r"\s{0,2}[*_)]{0,3}\s{0,2}(?:[:：]|[–—-]\s|,\s)\s{0,3}(\S.{0,200})")
_LANGUAGE_CONFIDENCE, _PLAN_STEPS = 0.55, 2
_ENDED = re.compile(r"\b(?:done|complete|completed|finished|passed|ready)\b", re.IGNORECASE)


def read_prose(text: str) -> Count | None:
    """Returns what the text says last about progress; None if it says nothing."""
    sentences = _sentences(text)
    found = [(count, sentence) for sentence in sentences if (count := read_sentence(sentence)) is not None]
    return None if not found or _is_plan(found) else found[-1][0]


def without_quotes(text: str) -> str:
    """Returns the text without what is quoted in it: that says something about somebody else's progress."""
    return _QUOTED.sub(" “” ", text)


def read_sentence(sentence: str) -> Count | None:
    """Returns what one sentence says about progress."""
    if sentence.endswith(("?", "？")):
        return None
    if may_be_english(sentence):
        from chorus.core.progress import english

        if (count := english.read(sentence)) is not None:
            return count
    if not may_be_other(sentence):
        return None
    from chorus.core.progress.languages import LANGUAGES

    for language in LANGUAGES.values():
        if (count := _read(language, sentence)) is not None:
            return count
    return None


def _read(language: "Language", sentence: str) -> Count | None:
    from chorus.core.progress.languages import TOTAL_FIRST

    for pattern in (language.stated, language.done, language.counted):
        match = last_match(pattern, sentence)
        if match is None:
            continue
        before, rest = sentence[: match.start()], sentence[match.end() :]
        if language.doubt.search(before):
            continue
        # "Step 2 of 4 fails if …"; what follows a colon is the name of the step.
        if pattern is not language.done and language.doubt.search(rest.partition(":")[0]):
            continue
        if pattern is language.counted and not language.cue.search(sentence):
            continue
        if pattern is language.counted and len(match[0]) < 8 and sentence[match.end() : match.end() + 1] == "/":
            continue
        numbers = [each for each in match.groups() if each is not None]
        if len(numbers) != 2:
            continue
        completed, total = reversed(numbers) if TOTAL_FIRST.match(match[0]) else numbers
        after = _AFTER_COLON.match(sentence[match.end() :])
        step = after[1] if after else sentence
        if (count := count_of(step, completed, total, _LANGUAGE_CONFIDENCE)) is not None:
            return count
    return None


def _is_plan(found: list[tuple[Count, str]]) -> bool:
    """Returns whether the statements list all steps of a plan, such as headings "Step 1 of 3" to "Step 3 of 3"."""
    if len(found) < _PLAN_STEPS or any(_ENDED.search(sentence) for _count, sentence in found):
        return False
    done = [count.completed for count, _sentence in found]
    return {count.total for count, _sentence in found} == {len(done)} and done == list(range(1, len(done) + 1))


def _sentences(text: str) -> list[str]:
    """Returns the sentences of the end of a text, without code, quotes and marks of Markdown."""
    start = max(0, len(text) - _WINDOW)
    is_code = text.count("```", 0, start) % 2 == 1
    found: list[str] = []
    for line in text[start:].splitlines():
        stripped = line.lstrip()
        if stripped.startswith(("```", "~~~")):
            is_code = not is_code
            continue
        if is_code or stripped.startswith((">", "|")) or line.startswith(("    ", "\t")):
            continue
        plain = _EMPHASIS.sub("", without_quotes(_CODE.sub(" `` ", line[: _SENTENCE_CHARS * 4])))
        if leading := _LEADING.match(plain):
            plain = plain[leading.end() :]
        found += [each.strip()[:_SENTENCE_CHARS] for each in _END.split(plain) if each.strip()]
    return found
