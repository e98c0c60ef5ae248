"""The state of test runners and build tools that spread it over several lines."""

import re

from chorus.core.progress.counts import Count, count_of, last_match

_COLLECTED = re.compile(
    r"^(?:collecting \.\.\. )?collected (\d{1,9}) items?(?:[^\n]{0,80}?/ (\d{1,9}) selected)?", re.MULTILINE
)
_XDIST = re.compile(r"^(?:\d{1,4} workers? \[(\d{1,9}) items?\]|gw\d{1,4} \[(\d{1,9})\])", re.MULTILINE)
_DOTS = re.compile(r"(?:\S{1,200}\.py )?([.FEsxXpP]{1,300})(?:\s{1,200}\[ {0,2}(\d{1,3})%\])?$")
_NAMED = re.compile(r"\S{1,200}::\S{1,300} (?:PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)\b")
_CARGO_TOTAL = re.compile(r"^running (\d{1,9}) tests?$", re.MULTILINE)
_CARGO_TEST = re.compile(r"^test [^\n]{1,300} \.\.\. (?:ok|FAILED|ignored)", re.MULTILINE)
_CARGO_RESULT = re.compile(r"test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored")
_CARGO_BAR = re.compile(r"Building \[")
_CRATE = re.compile(r"^ {1,6}(?:Compiling|Checking) \S{1,100} v\d", re.MULTILINE)
_CRATES_END = re.compile(r"^ {1,6}Finished `", re.MULTILINE)
_UNITTEST = re.compile(
    r"^\w{1,200} \([\w.<>]{1,300}\) \.\.\. (?:ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b",
    re.MULTILINE,
)
_UNITTEST_END = re.compile(r"^Ran (\d{1,9}) tests? in \d", re.MULTILINE)
_SUITES = re.compile(r"^Test Suites: [^\n]{1,80}?(\d{1,9}) of (\d{1,9}) total$", re.MULTILINE)
_TAP_TOTAL = re.compile(r"^1\.\.(\d{1,9})$", re.MULTILINE)
_TAP = re.compile(r"^(?:not )?ok (\d{1,9})\b", re.MULTILINE)
_TOX = re.compile(r"^ {0,2}\S{1,60}: (?:OK|FAIL|SKIP)\b", re.MULTILINE)
_TOX_END = re.compile(r"^ {0,2}(?:congratulations :\)|evaluation failed :\() \(", re.MULTILINE)
_TOX_PARALLEL = re.compile(r"^\S{1,60}: (?:OK|FAIL|SKIP) \S in \d", re.MULTILINE)
_MOCHA = re.compile(r"^ {2}(\d{1,9}) (passing|failing|pending)\b", re.MULTILINE)
_GO = re.compile(r"^(?:ok|FAIL|\?)\s{1,4}\t?\S{1,200}\t", re.MULTILINE)
_GO_TEST = re.compile(r"^--- (?:PASS|FAIL|SKIP): ", re.MULTILINE)
_PLAYWRIGHT_TOTAL = re.compile(r"^Running (\d{1,9}) tests? using \d{1,4} workers?$", re.MULTILINE)
_PLAYWRIGHT = re.compile(r"^ {1,4}[✓✘x-] {1,6}(\d{1,9}) ", re.MULTILINE)
_DENO_TOTAL = re.compile(r"^running (\d{1,9}) tests? from \S{1,300}$", re.MULTILINE)
_DENO_TEST = re.compile(r"^\S[^\n]{0,200} \.\.\. (?:ok|FAILED|ignored)\b", re.MULTILINE)
_GOOGLE_TOTAL = re.compile(r"^\[={10}\] Running (\d{1,9}) tests? from \d{1,9} test ", re.MULTILINE)
_GOOGLE_TEST = re.compile(r"^\[ {2}(?:     OK|FAILED |SKIPPED) \] \S{1,300} \(\d{1,9} ms\)", re.MULTILINE)
_POETRY_TOTAL = re.compile(
    r"^Package operations: (\d{1,9}) installs?, (\d{1,9}) updates?, (\d{1,9}) removals?\b", re.MULTILINE
)
_POETRY = re.compile(r"^ {2}[-•] (?:Installing|Updating|Downgrading|Removing) \S", re.MULTILINE)
_MAVEN_MODULE = re.compile(r"^(?:\[INFO\] )?Building [^\n\[]{1,200}\[\d{1,4}/\d{1,4}\]$", re.MULTILINE)
_MAVEN_TESTS = re.compile(
    r"^(?:\[[A-Z]{4,7}\] )?Tests run: (\d{1,9}), Failures: \d{1,9}, Errors: \d{1,9}, Skipped: \d{1,9}(, Time elapsed)?",
    re.MULTILINE,
)
_GRADLE_END = re.compile(r"^(\d{1,9}) actionable tasks?: ", re.MULTILINE)
_TESTS = "Running tests"
_SURE, _LIKELY = 0.95, 0.7


def read_runner(text: str, *, is_whole: bool) -> Count | None:
    """Returns the progress of a test runner whose state is spread over several lines."""
    for words, reader in _READERS:
        if any(word in text for word in words) and (count := reader(text, is_whole=is_whole)) is not None:
            return count
    return None


def _pytest(text: str, *, is_whole: bool) -> Count | None:
    collected = last_match(_COLLECTED, text)
    if collected is not None:
        total = int(collected[2] or collected[1])
    elif (collected := last_match(_XDIST, text)) is not None:
        total = int(collected[1] or collected[2])
    else:
        return None
    from chorus.core.progress.lines import read_summary

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
    if not is_whole:
        return None
    if last is None:
        return _crates(text)
    return count_of(_TESTS, len(_CARGO_TEST.findall(text, last.end())), last[1], _SURE)


def _crates(text: str) -> Count | None:
    """Returns the number of crates whose build began. Without a terminal, cargo does not say how many there are."""
    begun = 0 if _CARGO_BAR.search(text) else len(_CRATE.findall(text))
    return count_of("Building", begun, begun if _CRATES_END.search(text) else None, _LIKELY) if begun else None


def _unittest(text: str, *, is_whole: bool) -> Count | None:
    if ended := last_match(_UNITTEST_END, text):
        return count_of(_TESTS, ended[1], ended[1], _SURE)
    done = len(_UNITTEST.findall(text)) if is_whole else 0
    return count_of(_TESTS, done, None, _LIKELY) if done else None


def _jest(text: str, *, is_whole: bool) -> Count | None:
    match = last_match(_SUITES, text)
    return count_of(_TESTS, match[1], match[2], _SURE) if match else None


def _tap(text: str, *, is_whole: bool) -> Count | None:
    total = _TAP_TOTAL.search(text)
    numbers = _TAP.findall(text) if total else ()
    return count_of(_TESTS, numbers[-1], total[1], _SURE) if total and numbers else None


def _tox(text: str, *, is_whole: bool) -> Count | None:
    if _TOX_END.search(text):
        done = len(_TOX.findall(text))
        return count_of("Running environments", done, done, _SURE) if done else None
    done = len(_TOX_PARALLEL.findall(text)) if is_whole else 0
    return count_of("Running environments", done, None, _LIKELY) if done else None


def _mocha(text: str, *, is_whole: bool) -> Count | None:
    found = _MOCHA.findall(text)
    if not found or found[0][1] != "passing":
        return None
    done = sum(int(number) for number, _word in found)
    return count_of(_TESTS, done, done, _SURE) if done else None


def _go(text: str, *, is_whole: bool) -> Count | None:
    """Returns the number of packages whose tests ended, or of tests. `go test` does not say how many there are."""
    if not is_whole:
        return None
    if packages := len(_GO.findall(text)):
        return count_of("Testing packages", packages, None, _LIKELY)
    tests = len(_GO_TEST.findall(text))
    return count_of(_TESTS, tests, None, _LIKELY) if tests else None


def _playwright(text: str, *, is_whole: bool) -> Count | None:
    total = last_match(_PLAYWRIGHT_TOTAL, text)
    numbers = _PLAYWRIGHT.findall(text, total.end()) if total else ()
    # A test that is tried again has a number of its own.
    return count_of(_TESTS, min(int(numbers[-1]), int(total[1])), total[1], _SURE) if total and numbers else None


def _deno(text: str, *, is_whole: bool) -> Count | None:
    """Reads the last file, because each has a total of its own."""
    total = last_match(_DENO_TOTAL, text)
    done = len(_DENO_TEST.findall(text, total.end())) if total else 0
    return count_of(_TESTS, min(done, int(total[1])), total[1], _LIKELY) if total and done else None


def _google(text: str, *, is_whole: bool) -> Count | None:
    total = last_match(_GOOGLE_TOTAL, text)
    done = len(_GOOGLE_TEST.findall(text, total.end())) if total and is_whole else 0
    return count_of(_TESTS, min(done, int(total[1])), total[1], _SURE) if total and done else None


def _poetry(text: str, *, is_whole: bool) -> Count | None:
    total = last_match(_POETRY_TOTAL, text)
    begun = len(_POETRY.findall(text, total.end())) if total and is_whole else 0
    whole = sum(map(int, total.groups())) if total else 0
    return count_of("Installing packages", min(begun, whole), whole, _LIKELY) if begun else None


def _maven(text: str, *, is_whole: bool) -> Count | None:
    """Reads the tests of a single module. In a build of several, the number of the module says more."""
    if _MAVEN_MODULE.search(text):
        return None
    done = 0
    for match in _MAVEN_TESTS.finditer(text):
        if not match[2]:
            return count_of(_TESTS, match[1], match[1], _SURE)
        done += int(match[1])
    return count_of(_TESTS, done, None, _LIKELY) if done and is_whole else None


def _gradle(text: str, *, is_whole: bool) -> Count | None:
    match = last_match(_GRADLE_END, text)
    return count_of("Building", match[1], match[1], _SURE) if match else None


_READERS = (
    ((" item", "gw0 ["), _pytest),
    ((" from ./",), _deno),
    (("[==========] ",), _google),
    (("Package operations: ",), _poetry),
    (("running ", "test result: ", "Compiling ", "Checking "), _cargo),
    ((" ... ", "Ran "), _unittest),
    (("Test Suites: ",), _jest),
    ((" workers", " worker\n"), _playwright),
    (("1..",), _tap),
    ((": OK", ": FAIL", ": SKIP"), _tox),
    ((" passing",), _mocha),
    (("--- ", "\t"), _go),
    (("Tests run: ",), _maven),
    ((" actionable task",), _gradle),
)
"""What reads the output of a runner, after words of which every such output has one: looking for them is quick."""
