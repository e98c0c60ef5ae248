"""The state of test runners and build tools that spread it over several lines."""

import re

from chorus.core.progress.counts import Count, count_of, last_match
from chorus.core.progress.lines import read_summary

_COLLECTED = re.compile(
    r"^(?:collecting \.\.\. )?collected (\d{1,9}) items?(?:[^\n]{0,80}?/ (\d{1,9}) selected)?", re.MULTILINE
)
_DOTS = re.compile(r"(?:\S{1,200}\.py )?([.FEsxXpP]{1,300})(?:\s{1,200}\[ {0,2}(\d{1,3})%\])?$")
_NAMED = re.compile(r"\S{1,200}::\S{1,300} (?:PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)\b")
_CARGO_TOTAL = re.compile(r"^running (\d{1,9}) tests?$", re.MULTILINE)
_CARGO_TEST = re.compile(r"^test [^\n]{1,300} \.\.\. (?:ok|FAILED|ignored)", re.MULTILINE)
_CARGO_RESULT = re.compile(r"test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored")
_SUITES = re.compile(r"^Test Suites: [^\n]{1,80}?(\d{1,9}) of (\d{1,9}) total$", re.MULTILINE)
_TAP_TOTAL = re.compile(r"^1\.\.(\d{1,9})$", re.MULTILINE)
_TAP = re.compile(r"^(?:not )?ok (\d{1,9})\b", re.MULTILINE)
_TOX = re.compile(r"^ {2}\S{1,60}: (?:OK|FAIL|SKIP)\b", re.MULTILINE)
_TOX_END = re.compile(r"^ {2}(?:congratulations :\)|evaluation failed :\() \(", re.MULTILINE)
_MOCHA = re.compile(r"^ {2}(\d{1,9}) (passing|failing|pending)\b", re.MULTILINE)
_GO = re.compile(r"^(?:ok|FAIL|\?)\s{1,4}\t?\S{1,200}\t", re.MULTILINE)
_GRADLE_END = re.compile(r"^(\d{1,9}) actionable tasks?: ", re.MULTILINE)
_TESTS = "Running tests"
_SURE, _LIKELY = 0.95, 0.7


def read_runner(text: str, *, is_whole: bool) -> Count | None:
    """Returns the progress of a test runner whose state is spread over several lines."""
    for reader in (_pytest, _cargo, _jest, _tap, _tox, _mocha, _go, _gradle):
        if (count := reader(text, is_whole=is_whole)) is not None:
            return count
    return None


def _pytest(text: str, *, is_whole: bool) -> Count | None:
    collected = last_match(_COLLECTED, text)
    if collected is None:
        return None
    total = int(collected[2] or collected[1])
    done, percent = 0, None
    for line in map(str.rstrip, text[collected.end() :].splitlines()):
        if match := _DOTS.match(line):
            done += len(match[1])
            percent = match[2] or percent
        elif _NAMED.match(line):
            done += 1
        elif ended := read_summary(line):
            # With `-x` a run ends before all tests ran.
            return count_of(_TESTS, ended.completed, max(total, ended.completed), _SURE)
    if not is_whole:
        done = -(-int(percent) * total // 100) if percent else 0
    return count_of(_TESTS, min(done, total), total, _SURE) if done else None


def _cargo(text: str, *, is_whole: bool) -> Count | None:
    """Reads the last binary that has tests: a run ends with the empty one of the documentation."""
    last = result = None
    for match in _CARGO_TOTAL.finditer(text):
        last = match if int(match[1]) else last
    for match in _CARGO_RESULT.finditer(text):
        result = match if any(int(each) for each in match.groups()) else result
    if result and (last is None or result.start() > last.start()):
        done = sum(int(each) for each in result.groups())
        return count_of(_TESTS, done, done, _SURE)
    if last is None or not is_whole:
        return None
    return count_of(_TESTS, len(_CARGO_TEST.findall(text, last.end())), last[1], _SURE)


def _jest(text: str, *, is_whole: bool) -> Count | None:
    match = last_match(_SUITES, text)
    return count_of(_TESTS, match[1], match[2], _SURE) if match else None


def _tap(text: str, *, is_whole: bool) -> Count | None:
    total = _TAP_TOTAL.search(text)
    numbers = _TAP.findall(text) if total else ()
    return count_of(_TESTS, numbers[-1], total[1], _SURE) if total and numbers else None


def _tox(text: str, *, is_whole: bool) -> Count | None:
    if not _TOX_END.search(text):
        return None
    done = len(_TOX.findall(text))
    return count_of("Running environments", done, done, _SURE) if done else None


def _mocha(text: str, *, is_whole: bool) -> Count | None:
    found = _MOCHA.findall(text)
    if not found or found[0][1] != "passing":
        return None
    done = sum(int(number) for number, _word in found)
    return count_of(_TESTS, done, done, _SURE) if done else None


def _go(text: str, *, is_whole: bool) -> Count | None:
    """Returns the number of packages whose tests ended. `go test` does not say how many there are."""
    found = len(_GO.findall(text)) if is_whole else 0
    return count_of("Testing packages", found, None, _LIKELY) if found else None


def _gradle(text: str, *, is_whole: bool) -> Count | None:
    match = last_match(_GRADLE_END, text)
    return count_of("Building", match[1], match[1], _SURE) if match else None
