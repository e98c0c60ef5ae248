"""A stand-in for `but`, the command line of GitButler, which checks its input as strictly as the real one.

    BUT_VERSION      the version that it plays; up to 0.19.13 it has `claude`, later versions do not
    BUT_LOCK_S       how long it waits for the lock of a file (the real one: 30 s)
    BUT_HANGS        set: it never ends
    BUT_PRINTS       set: it prints this many bytes

`.git/gitbutler/calls.jsonl` has its calls, and `.git/gitbutler/double.json` has its state.
"""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

VERSION = tuple(int(part) for part in os.environ.get("BUT_VERSION", "0.19.13").split("."))
LOCK_S = float(os.environ.get("BUT_LOCK_S", "30"))
FIRST_WITHOUT_CLAUDE = (0, 20, 0)
_FIELDS = {
    "pre-tool": {"session_id", "transcript_path", "hook_event_name", "tool_name", "tool_input"},
    "post-tool": {"session_id", "transcript_path", "hook_event_name", "tool_name", "tool_input", "tool_response"},
    "stop": {"session_id", "transcript_path", "hook_event_name"},
}
_HUNK = {"oldStart": int, "oldLines": int, "newStart": int, "newLines": int, "lines": list}


class RefusedError(Exception):
    """The input of the command is wrong."""


def main(words: list[str]) -> int:
    if words == ["--version"]:
        print(f"but {'.'.join(map(str, VERSION))}")
        return 0
    if "BUT_HANGS" in os.environ:
        time.sleep(600)
    if "BUT_PRINTS" in os.environ:
        sys.stdout.write("x" * int(os.environ["BUT_PRINTS"]))
        return 0
    if words[:1] == ["claude"]:
        if VERSION >= FIRST_WITHOUT_CLAUDE:
            print("error: unrecognized subcommand 'claude'", file=sys.stderr)
            return 2
        return _claude(words[1:])
    if VERSION < FIRST_WITHOUT_CLAUDE or words[:1] not in (["status"], ["diff"], ["commit"]):
        print("error: unrecognized subcommand", file=sys.stderr)
        return 2
    if "-j" in words and VERSION >= (0, 22, 0):
        print("error: unexpected argument '-j' found", file=sys.stderr)
        return 2
    try:
        top = _top()
        _log(top, words, None)
        return {"status": _status, "diff": _diff, "commit": _commit}[words[0]](top, words[1:])
    except RefusedError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1


def _claude(words: list[str]) -> int:
    if len(words) != 1 or words[0] not in _FIELDS:
        print(f"error: unrecognized subcommand {words}", file=sys.stderr)
        return 2
    try:
        top = _top()
        given = json.loads(sys.stdin.buffer.read())
        _log(top, ["claude", *words], given)
        _check(words[0], given)
        {"pre-tool": _pre, "post-tool": _post, "stop": _stop}[words[0]](top, given)
    except (RefusedError, ValueError) as error:
        answer = {"continue": False, "stopReason": str(error), "suppressOutput": False}
        print(json.dumps(answer), file=sys.stderr)
        return 1
    print(json.dumps({"continue": True, "stopReason": "", "suppressOutput": True}))
    return 0


def _check(step: str, given: dict) -> None:
    missing = _FIELDS[step] - given.keys()
    if missing:
        raise RefusedError(f"missing field {min(missing)}")
    UUID(given["session_id"])
    _typed(given, transcript_path=str, hook_event_name=str)
    if "tool_input" in given:
        _typed(given, tool_name=str, tool_input=dict)
        _typed(given["tool_input"], file_path=str)
        for name, kind in (("old_string", str), ("new_string", str), ("replace_all", bool)):
            if name in given["tool_input"]:
                _typed(given["tool_input"], **{name: kind})
    if "tool_response" in given:
        _typed(given, tool_response=dict)
        _typed(given["tool_response"], filePath=str, structuredPatch=list)
        for hunk in given["tool_response"]["structuredPatch"]:
            _typed(hunk, **_HUNK)
    if step == "stop":
        if "stop_hook_active" in given:
            _typed(given, stop_hook_active=bool)
        Path(given["transcript_path"]).read_bytes()


def _typed(given: dict, **kinds: type) -> None:
    for name, kind in kinds.items():
        if type(given.get(name)) is not kind:
            raise RefusedError(f"invalid type: {name} must be {kind.__name__}")


def _pre(top: Path, given: dict) -> None:
    path = _inside(top, given["tool_input"]["file_path"])
    if path is None:
        return
    end = time.monotonic() + LOCK_S
    while True:
        with _state(top) as state:
            if path not in state["locks"]:
                state["locks"][path] = given["session_id"]
                return
        if time.monotonic() > end:
            raise RefusedError(f"timed out waiting for the lock of {path}")
        time.sleep(0.02)


def _post(top: Path, given: dict) -> None:
    path = _inside(top, given["tool_response"]["filePath"])
    if path is None:
        return
    with _state(top) as state:
        state["locks"].pop(path, None)
        stack = state["stacks"].setdefault(given["session_id"], {"assigned": [], "commits": []})
        if path not in stack["assigned"]:
            stack["assigned"].append(path)


def _stop(top: Path, given: dict) -> None:
    with _state(top) as state:
        state["locks"] = {path: who for path, who in state["locks"].items() if who != given["session_id"]}
        stack = state["stacks"].get(given["session_id"])
        if stack and stack["assigned"]:
            stack["commits"].append(stack["assigned"])
            stack["assigned"] = []


def _status(top: Path, words: list[str]) -> int:
    _only_json(words)
    name = "uncommittedChanges" if VERSION >= (0, 21, 0) else "unassignedChanges"
    listed = [{"cliId": _id(path), "filePath": path, "changeType": "modified"} for path in _changed(top)]
    print(json.dumps({name: listed, "stacks": [{"cliId": "s0", "assignedChanges": [], "branches": []}]}))
    return 0


def _diff(top: Path, words: list[str]) -> int:
    _only_json(words)
    print(json.dumps({"changes": [{"id": f"{_id(path)}:1", "path": path} for path in _changed(top)]}))
    return 0


def _commit(top: Path, words: list[str]) -> int:
    words = [word for word in words if word != "--json"]
    if len(words) < 5 or words[0] != "-b" or words[2] != "-m" or any(word.startswith("-") for word in words[3:]):
        print("error: unexpected argument", file=sys.stderr)
        return 2
    branch, message, ids = words[1], words[3], words[4:]
    known = {_id(path): path for path in _changed(top)}
    unknown = [each for each in ids if each.partition(":")[0] not in known]
    if unknown:
        raise RefusedError(f"no such id: {unknown[0]}")
    paths = sorted({known[each.partition(":")[0]] for each in ids})
    with _state(top) as state:
        is_new = branch not in state["branches"]
        commits = state["branches"].setdefault(branch, [])
        commits.append({"message": message, "files": paths})
        state["committed"].update({path: _digest(top / path) for path in paths})
        name = hashlib.sha1(json.dumps([branch, commits]).encode()).hexdigest()
    if VERSION < (0, 21, 0):
        print(json.dumps({"commit_id": name, "branch": branch, "branch_tip": name}))
    else:
        print(json.dumps({"commitId": name, "changeId": "k" * 32, **({"branch": branch} if is_new else {})}))
    return 0


def _only_json(words: list[str]) -> None:
    if words != ["--json"]:
        raise RefusedError(f"unexpected argument {words}")


def _changed(top: Path) -> list[str]:
    """Returns the files that differ from the last commit and from what this program committed."""
    call = ["git", "-C", str(top), "status", "--porcelain", "-z", "--untracked-files=all"]
    lines = subprocess.run(call, capture_output=True, check=True).stdout.decode().split("\0")
    with _state(top) as state:
        return [line[3:] for line in lines if line and state["committed"].get(line[3:]) != _digest(top / line[3:])]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "gone"


def _id(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:6]


def _top() -> Path:
    here = Path.cwd()
    for place in (here, *here.parents):
        if (place / ".git").exists():
            if not (place / ".git" / "gitbutler").is_dir():
                raise RefusedError("Setup required: no GitButler project found here; run `but setup`")
            return place
    raise RefusedError("Setup required: no git repository found")


def _inside(top: Path, path: str) -> str | None:
    place = Path(os.path.realpath(path))
    return str(place.relative_to(top)) if place.is_relative_to(top) else None


def _log(top: Path, words: list[str], given: object) -> None:
    with (top / ".git" / "gitbutler" / "calls.jsonl").open("a") as file:
        file.write(json.dumps({"words": words, "input": given}) + "\n")


@contextmanager
def _state(top: Path):
    place = top / ".git" / "gitbutler" / "double.json"
    with place.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        state = json.loads(file.read() or '{"locks": {}, "stacks": {}, "branches": {}, "committed": {}}')
        yield state
        file.seek(0)
        file.truncate()
        file.write(json.dumps(state))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
