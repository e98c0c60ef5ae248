"""People who run agents, with a home, a workspace and a recording in place of the client."""

import json
import os
import uuid

from chorus.steer.runs.run_folders import Runs
from chorus.testing.builders import Run, tool_use
from tests.cli.commands import run_process
from tests.support.running import end, recording

QUESTION = {"command": "rm -rf build"}


def asking(tool="Bash", given=QUESTION):
    """Builds a run in which the client asks once to use a tool."""
    run = Run(str(uuid.uuid4()))
    run.init()
    run.assistant(tool_use(tool, given, id="toolu_1"))
    run.ask("toolu_1", tool, given, request="ask-1")
    run.tool_result("toolu_1", "removed")
    run.assistant("All clean.")
    run.result("All clean.")
    return run


class Person:
    """A person at a shell, with a recording in place of the client."""

    def __init__(self, folder, script):
        self.home = folder / "home"
        self.work = folder / "work"
        self.work.mkdir()
        (folder / "bin").mkdir()
        recording(folder / "bin" / "claude", script)
        self.environment = {
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "CHORUS_HOME": str(self.home),
            "TERM": "xterm",
        }

    def types(self, *arguments, given=b""):
        return run_process(*arguments, given=given, cwd=self.work, env=self.environment)

    def json(self, *arguments):
        done = self.types(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def end_all(self):
        for folder, _ in Runs(self.home).living():
            end(folder)
