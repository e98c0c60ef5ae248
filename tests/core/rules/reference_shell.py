"""Real shells as the reference: a line is run where every program only writes down its name and words.

`PATH` holds such programs alone, besides the real wrappers (`env`, `timeout`, `xargs`, …). In bash, the builtins are
switched off, so that they are written down as well. A line is run several times, with programs that succeed, fail, and
do both in turn, so that both sides of `&&`, `||` and `if` are reached.
"""

import os
import shutil
import subprocess
from pathlib import Path

WRAPPERS = ("env", "timeout", "nice", "nohup", "setsid", "stdbuf", "xargs", "find", "sh", "bash", "cat")
RECORDED = (
    *("pytest", "evil", "worse", "echo", "test", "[", "printf", "read", "x", "PYTEST", "Pytest", "script"),
    *("git", "ls", "npm", "python", "docker", "grep", "more"),
)
BUILTINS = (
    "alias bg bind builtin caller command compgen complete compopt declare dirs disown echo eval exec export fc fg"
    " getopts hash history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly set shift"
    " shopt source suspend test times trap type typeset ulimit umask unalias unset wait [ ."
)
_PROGRAM = """#!{shell}
printf '%s\\037' "${{0##*/}}" "$@" >>"$RECORD"
printf '\\036' >>"$RECORD"
n=$(wc -c <"$RECORD")
[ "$n" -gt 2000 ] && kill -9 "$PPID"
case "$MODE" in 0|1) exit "$MODE";; *) exit $((n % 2));; esac
"""


class ReferenceShell:
    """Runs lines in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs = folder / "programs"
        self._record = folder / "record"
        self._rc = folder / "rc"
        self._programs.mkdir(parents=True)
        shell = shutil.which("dash") or shutil.which("sh")
        wc = shutil.which("wc")
        text = _PROGRAM.format(shell=shell).replace("wc -c", f"{wc} -c")
        for name in RECORDED:
            self._write(self._programs / name, text)
        for name in WRAPPERS:
            found = shutil.which(name)
            assert found is not None
            (self._programs / name).symlink_to(found)
        self._rc.write_text(f"enable -n {BUILTINS}\n")
        self._text = text

    def programs_of(self, line: str, shell: str = "bash") -> set[str]:
        """Returns the names of all programs that ran for this line, in some run of it."""
        return {words[0] for words in self.calls_of(line, shell)}

    def calls_of(self, line: str, shell: str = "bash") -> set[tuple[str, ...]]:
        """Returns all programs that ran for this line, in some run of it, with their words."""
        return {words for mode in ("0", "1", "2") for words in self._run(line, shell, mode)}

    def _run(self, line: str, shell: str, mode: str) -> set[tuple[str, ...]]:
        work = self._folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        (work / "sub").mkdir(parents=True)
        for name in ("evil", "pytest", "sub/pytest", "script"):
            self._write(work / name, self._text)
        (work / "script").write_text("evil\n")
        self._record.write_text("")
        environment = {"PATH": str(self._programs), "RECORD": str(self._record), "MODE": mode, "HOME": str(work)}
        if shell == "bash":
            environment["BASH_ENV"] = str(self._rc)
        program = shutil.which(shell)
        assert program is not None
        process = subprocess.Popen(
            [program, "-c", line],
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
        calls = self._record.read_text("utf-8", "replace").split("\x1e")
        return {tuple(call.split("\x1f")[:-1]) for call in calls if "\x1f" in call}

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)
