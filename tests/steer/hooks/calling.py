"""The installed program, called as the client calls it."""

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
    """What the client gives a hook: the input has blanks that no encoder would write."""
    head = {"session_id": session, "transcript_path": f"/x/{session}.jsonl", "cwd": cwd, "hook_event_name": event}
    text = json.dumps(head | more)[:-1]
    given = '{"command":  COMMAND, "description": "é"}'.replace("COMMAND", json.dumps(command, ensure_ascii=False))
    return f'{text}, "tool_name": "Bash", "tool_input": {given}, "permission_suggestions": [{RULE}]}}\n'.encode()


class Hooks:
    """Hooks installed in the settings of a client, for a home of Chorus."""

    def __init__(self, home, settings):
        self.home = Home(home)
        self.settings = settings
        install(self.home, plan_install(self.home, settings))
        self._started = []

    def start(self, data, **environment):
        """The program, given `data` and waiting for its end."""
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
        with contextlib.suppress(BrokenPipeError):  # One that has nobody to ask may be over before it has read.
            process.stdin.write(data)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdin = None
        return process

    def call(self, data, **environment):
        """What it prints; it ends with 0 and complains of nothing."""
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
