"""A client that follows its prompts. It runs alone in the folder where it is started, without any code of Chorus.

It records its arguments (`arguments.json`), its messages (`said.jsonl`) and the answers that it gets
(`answers.jsonl`). The first word of a prompt selects what it does: `work` until it is interrupted, `ask` for a command,
`question` or `plan` as those tools do, or `fail`. For any other word it repeats the prompt.
"""

import json
import sys
import uuid
from pathlib import Path

MODEL = "claude-opus-4-5-20251101"
QUESTIONS = [
    {
        "question": "Which colour <b>shall</b> it have?",
        "header": "Colour",
        "multiSelect": False,
        "options": [
            {"label": "Red", "description": "as the port side"},
            {"label": "Green", "description": "starboard"},
        ],
    },
    {
        "question": "Which days?",
        "header": "Days",
        "multiSelect": True,
        "options": [{"label": "Monday", "description": ""}, {"label": "Friday", "description": ""}],
    },
]
PLAN = "# Paint the buoy\n\n1. Fetch the **paint**.\n2. Row out. <img src=x onerror=alert(1)>\n"
TOOLS = {
    "ask": ("Bash", {"command": "rm -rf rust", "description": "Take the rust off"}),
    "question": ("AskUserQuestion", {"questions": QUESTIONS}),
    "plan": ("ExitPlanMode", {"plan": PLAN, "planFilePath": "/plans/buoy.md"}),
}


class Actor:
    def __init__(self, arguments):
        named = {name: value for name, _, value in (each.partition("=") for each in arguments)}
        self.session = named.get("--session-id") or named["--resume"]
        self.mode = named.get("--permission-mode", "default")
        self.model = named.get("--model", MODEL)
        self.waiting = []
        self.call = None
        self.is_busy = False

    def put(self, kind, **more):
        line = {"type": kind, "uuid": str(uuid.uuid4()), "session_id": self.session, **more}
        print(json.dumps(line), flush=True)

    def hear(self, line):
        heard = json.loads(line)
        if heard["type"] == "control_request":
            self.obey(heard["request_id"], heard["request"])
        elif heard["type"] == "control_response":
            note("answers.jsonl", heard["response"]["response"])
            self.answered(heard["response"]["response"])
        elif heard["type"] == "user":
            note("said.jsonl", heard)
            self.waiting.append(heard)
            self.go_on()

    def obey(self, request, asked):
        note("asked.jsonl", asked)
        answer = {"subtype": "success", "request_id": request, "response": {}}
        print(json.dumps({"type": "control_response", "response": answer}), flush=True)
        if asked["subtype"] == "set_model":
            self.model = asked["model"]
        if asked["subtype"] == "set_permission_mode":
            self.mode = asked["mode"]
            self.put("system", subtype="status", permissionMode=self.mode)
        if asked["subtype"] == "interrupt" and self.is_busy:
            self.put("user", message={"role": "user", "content": "[Request interrupted by user]"})
            self.end(is_error=True)

    def go_on(self):
        if self.is_busy or not self.waiting:
            return
        heard = self.waiting.pop(0)
        self.is_busy = True
        told = {"cwd": str(Path.cwd()), "claude_code_version": "2.1.325", "tools": [], "mcp_servers": []}
        self.put("system", subtype="init", model=self.model, permissionMode=self.mode, **told)
        self.put("system", subtype="session_state_changed", state="running")
        print(json.dumps({"type": "command_lifecycle", "command_uuid": heard["uuid"], "state": "started"}), flush=True)
        print(json.dumps({**heard, "session_id": self.session, "isReplay": True}), flush=True)
        content = heard["message"]["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        text = "".join(part.get("text", "") for part in parts)
        self.act(text, sum(part["type"] == "image" for part in parts))

    def act(self, text, pictures):
        word = text.split(maxsplit=1)[0] if text.strip() else ""
        if word == "work":
            self.say("At it.")
        elif word == "fail":
            sys.stderr.write("the <b>boiler</b> burst \u202eback\n")
            sys.stderr.flush()
            raise SystemExit(1)
        elif word in TOOLS:
            self.call, (name, given) = f"toolu_{uuid.uuid4().hex[:8]}", TOOLS[word]
            self.speak([{"type": "tool_use", "id": self.call, "name": name, "input": given}])
            request = {"subtype": "can_use_tool", "tool_name": name, "input": given, "tool_use_id": self.call}
            asked = {"type": "control_request", "request_id": str(uuid.uuid4()), "request": request}
            print(json.dumps(asked), flush=True)
        else:
            self.say(f"You said: {text}" + (f" with {pictures} pictures" if pictures else ""))
            self.end()

    def answered(self, answer):
        result = {"type": "tool_result", "tool_use_id": self.call, "content": answer.get("message", "done")}
        self.put("user", message={"role": "user", "content": [{**result, "is_error": answer["behavior"] == "deny"}]})
        self.say("As you wish." if answer["behavior"] == "allow" else f"Then not: {answer['message']}")
        self.end()

    def say(self, text):
        self.speak([{"type": "text", "text": text}])

    def speak(self, content):
        tokens = {"input_tokens": 10, "output_tokens": 5}
        name = f"msg_{uuid.uuid4().hex[:12]}"
        message = {
            "id": name,
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": content,
            "usage": tokens,
        }
        self.put("assistant", message={**message, "stop_reason": None}, parent_tool_use_id=None)

    def end(self, *, is_error=False):
        self.is_busy = False
        subtype = "error_during_execution" if is_error else "success"
        spent = {"num_turns": 1, "duration_ms": 10, "total_cost_usd": 0.01}
        self.put("result", subtype=subtype, is_error=is_error, result="", **spent)
        self.put("system", subtype="session_state_changed", state="idle")
        self.go_on()


def note(name, what):
    with Path(name).open("a") as file:
        file.write(json.dumps(what) + "\n")


if __name__ == "__main__":
    if "--version" in sys.argv:
        print("2.1.325 (Claude Code)")
        raise SystemExit
    half = Path("arguments.half")
    half.write_text(json.dumps(sys.argv[1:]))
    half.replace("arguments.json")
    actor = Actor(sys.argv[1:])
    for each in sys.stdin:
        actor.hear(each)
