"""Builds a client's folder with everything that usage depends on: forks, sub-agents, models, days and workspaces."""

from pathlib import Path

from chorus.testing.builders import Layout, Run, Session, lay_out, tool_use
from chorus.testing.builders.lines import Clock, usage

OPUS, SONNET, NEW = "claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-fable-5-2"
IDS = [f"{n}e55aaaa-0000-4000-8000-00000000000{n}" for n in range(1, 7)]


def _conversation(number: int, start: str, cwd: str, model: str) -> Session:
    return Session(IDS[number], clock=Clock(start, step_ms=20_000), cwd=cwd, model=model)


def harbour(number: int = 0) -> Session:
    """A session with two turns, a failed call, a refused one, a question, and a sub-agent."""
    talk = _conversation(number, "2026-02-27T23:30:00.000Z", "/home/dev/harbour", OPUS)
    talk.user("Light the harbour", uuid="00000000-0000-4000-8000-0000000000a1")
    calls = [tool_use("Bash", {"command": "ls"}, id="toolu_a1"), tool_use("Read", {"file_path": "/x"}, id="toolu_a2")]
    talk.assistant(*calls, message_id="msg_a1", tokens=usage(given=9, said=100), stop="tool_use")
    talk.tool_result("toolu_a1", "broken", is_error=True)
    talk.tool_result("toolu_a2", "The user doesn't want to proceed with this tool use.", is_error=True)
    talk.assistant(tool_use("AskUserQuestion", {"questions": []}, id="toolu_a3"), message_id="msg_a2",
                   tokens=usage(given=4, said=30), stop="tool_use")  # fmt: skip
    talk.tool_result("toolu_a3", "blue")
    task = tool_use("Task", {"prompt": "Count", "subagent_type": "Explore"}, id="toolu_a4")
    talk.assistant(task, message_id="msg_a3", tokens=usage(said=10), stop="tool_use")
    helper = talk.agent("a1b2c3", "toolu_a4", kind="Explore")
    helper.user("Count")
    helper.assistant(tool_use("Grep", {"pattern": "x"}, id="toolu_a5"), message_id="msg_a4", tokens=usage(said=70))
    helper.tool_result("toolu_a5", "x")
    talk.tool_result("toolu_a4", "two", structured={"agentId": "a1b2c3", "status": "completed"})
    talk.user("And now?", uuid="00000000-0000-4000-8000-0000000000a2")
    talk.assistant("Done.", message_id="msg_a5", tokens=usage(given=2, said=50), stop="end_turn")
    return talk


def fork() -> Session:
    """A copy of the harbour session that continues on its own the next day."""
    talk = harbour(1)
    talk.clock = Clock("2026-03-01T10:00:00.000Z", step_ms=20_000)
    talk.user("Another way", uuid="00000000-0000-4000-8000-0000000000b1")
    talk.assistant(tool_use("Bash", {}, id="toolu_b1"), message_id="msg_b1", tokens=usage(said=400), stop="tool_use")
    return talk


def others() -> list[Session]:
    """A cheap session in another folder, one with a model that has no price, and one with a cut message."""
    cheap = _conversation(2, "2026-02-28T12:00:00.000Z", "/srv/shop", SONNET)
    cheap.user("Tidy up")
    cheap.assistant(tool_use("Bash", {}, id="toolu_c1"), message_id="msg_c1", tokens=usage(said=7), stop="tool_use")
    cheap.tool_result("toolu_c1", "fine")
    cheap.assistant("Tidy.", message_id="msg_c2", tokens=usage(said=9), stop="end_turn")
    unpriced = _conversation(3, "2026-03-09T08:00:00.000Z", "/srv/shop", NEW)
    unpriced.user("What is new?")
    unpriced.assistant("This.", message_id="msg_d1", tokens=usage(said=1_000), stop="end_turn")
    cut = _conversation(4, "2026-03-09T09:00:00.000Z", "/home/dev/harbour", OPUS)
    cut.user("Quick")
    cut.assistant("I", message_id="msg_e1", tokens=usage(said=1), stop=None)
    return [cheap, unpriced, cut]


def run() -> Run:
    """The standard output of a run, with the cost that the client reported."""
    log = Run(IDS[5], model=SONNET)
    log.init(cwd="/srv/shop")
    log.assistant(tool_use("Bash", {}, id="toolu_f1"), timestamp="2026-03-10T10:00:00.000Z")
    log.tool_result("toolu_f1", "ok", timestamp="2026-03-10T10:00:03.000Z")
    log.result("Done.", cost=0.125, timestamp="2026-03-10T10:00:05.000Z")
    return log


def lay_out_all(home: Path) -> None:
    """Writes the folder of a client."""
    for session in (harbour(), fork(), *others()):
        lay_out(home, session, Layout.BELOW)
    (home / "projects" / "run.jsonl").write_bytes(bytes(run()))
