"""Calls the installed hook program as the client calls it."""

import contextlib
import json
import os
import subprocess

from chorus.steer.hooks.home import Home
from chorus.steer.hooks.install import install, plan_install

SESSION = "fd893a85-a90c-4996-a3e9-5217a8e4fd9e"
RULE = '{"type": "addRules", "rules": [{"toolName": "Bash"}],  "behavior": "allow", "destination": "session"}'
PATIENCE_S = 60


def payload(command="touch a.txt", event="PermissionRequest", session=SESSION, cwd="/home/dev/harbour", **more):
    """Returns the payload that the client gives a hook; its input has blanks that no JSON encoder writes."""
    head = {"session_id": session, "transcript_path": f"/x/{session}.jsonl", "cwd": cwd, "hook_event_name": event}
    text = json.dumps(head | more)[:-1]
    given = '{"command":  COMMAND, "description": "é"}'.replace("COMMAND", json.dumps(command, ensure_ascii=False))
    return f'{text}, "tool_name": "Bash", "tool_input": {given}, "permission_suggestions": [{RULE}]}}\n'.encode()


class Hooks:
    """Hooks that are installed in the settings of a client, for a home of Chorus."""

    def __init__(self, home, settings):
        self.home = Home(home)
        self.settings = settings
        install(self.home, plan_install(self.home, settings))
        self._started = []

    def start(self, data, **environment):
        """Starts the program, writes `data` to it and returns the process."""
        inherited = {name: value for name, value in os.environ.items() if name != "CHORUS_RUN"}
        process = subprocess.Popen(
            [self.home.program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=inherited | environment,
        )
        self._started.append(process)
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # It may end before it has read, if there is no server.
            process.stdin.write(data)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdin = None
        return process

    def call(self, data, **environment):
        """Returns the output of the program, which ends with 0 and without an error message."""
        return ended(self.start(data, **environment))

    def close(self):
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.communicate()


def ended(process):
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, b"")
    return out


def decision(out):
    told = json.loads(out)["hookSpecificOutput"]
    assert told["hookEventName"] == "PermissionRequest"
    return told["decision"]
