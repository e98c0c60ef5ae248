"""A run whose agent tries ways to approve its own actions: `drill.py FOLDER KIND WAY…`, run by any user.

It prints what the agent reached, what the client received, and what Chorus reports afterwards.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from chorus.steer.approvals.ledger import Ledger
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.containment import Containment
from tests.support.running import Place, events_until, is_state, program

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120
CLIENT = """
import os, subprocess, sys
if "--version" not in sys.argv:
    subprocess.Popen(
        ["/bin/sh", "-c", "while [ ! -e go ]; do sleep 0.1; done; exec {python} {ways} spec.json"],
        stdin=subprocess.DEVNULL, stdout=open("ways.log", "w"), stderr=subprocess.STDOUT,
    )
exec(open({actor!r}).read())
"""


def main(folder, kind, *ways):
    folder = Path(folder).resolve()
    person, config = folder / "person", folder / "person" / ".claude"
    config.mkdir(parents=True)
    (config / "settings.json").write_text("{}")
    (person / ".bashrc").write_text("")
    os.environ |= {"HOME": str(person), "CLAUDE_CONFIG_DIR": str(config)}
    place = Place(folder / "place", home=person / ".chorus")
    os.environ["CHORUS_HOME"] = str(place.home)
    place.approver()
    (place.home / "config.json").write_text("{}")
    for name, text in (("hook.key", "k" * 64), ("logins.json", "[]")):
        (place.state / name).write_text(text)
    tmux = str(folder / "person-tmux")
    given = ["PYTHONPATH=" + os.environ["PYTHONPATH"], f"CHORUS_HOME={place.home}", f"HOME={person}"]
    shell = ["env", "-i", f"PATH={os.defpath}", "TERM=xterm", *given, "sh"]
    subprocess.run(["tmux", "-S", tmux, "-f", "/dev/null", "new-session", "-d", "-s", "person", *shell], check=True)
    asked = subprocess.run(
        ["tmux", "-S", tmux, "display", "-p", "-t", "person", "#{pane_tty}"], check=True, capture_output=True, text=True
    )
    # Copy them into the workspace, because a contained client may not see this clone.
    for name in ("security/ways.py", "security/grabbing.py", "support/actor.py"):
        shutil.copy(ROOT / "tests" / name, place.work)
    ways_of, actor = place.work / "ways.py", place.work / "actor.py"
    client = program(place.work / "client", CLIENT.format(python=sys.executable, ways=ways_of, actor=str(actor)))
    try:
        found = drilled(place, client, kind, ways, tmux, asked.stdout.strip(), person)
    finally:
        subprocess.run(["tmux", "-S", tmux, "kill-server"], check=False)
    found["bashrc"] = (person / ".bashrc").read_text()
    print(json.dumps(found))


def drilled(place, client, kind, ways, tmux, tty, person):
    contain = Containment() if kind == "contained" else None
    with place.running(client, contain=contain) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="ask for it"))
        events_until(attached, is_state("waiting"))
        run = folder.read()
        (row,) = Ledger(place.state).pending()
        spec = {
            "ways": ways, "home": str(place.home), "person": str(person), "config": f"{person}/.claude",
            "work": str(place.work),
            "run": run.id, "holder": run.holder, "client": run.client, "row": row.id, "digest": row.digest,
            "request": row.request.key.partition(":")[2], "tmux": tmux, "tty": tty, "python": sys.executable,
            "path": os.environ["PYTHONPATH"],
        }  # fmt: skip
        (place.work / "spec.json").write_text(json.dumps(spec))
        (place.work / "go").touch()
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until and folder.is_held() and not (place.work / "tried.json").exists():
            time.sleep(0.1)
        # The effects of the last way take some time to become visible. A client that accepted an answer ends its run,
        # which may take longer on a busy machine.
        answers = place.work / "answers.jsonl"
        began = time.monotonic()
        while folder.is_held():
            is_accepted = answers.exists() and '"allow"' in answers.read_text()
            if time.monotonic() - began > (PATIENCE_S if is_accepted else 3):
                break
            time.sleep(0.1)
    tried = place.work / "tried.json"
    tried = tried if tried.exists() else tried.with_suffix(".half")
    asked = place.work / "asked.jsonl"
    run, (row, *_) = folder.read(), Ledger(place.state).rows()[::-1]
    check = Ledger(place.state).check()
    return {
        "tried": _read(tried),
        "answers": answers.read_text() if answers.exists() else "",
        "asked": asked.read_text() if asked.exists() else "",
        "state": str(row.state), "note": row.note or "", "tampering": run.tampering,
        "flaws": len(check.flaws) + len(check.rejected), "log": (place.work / "ways.log").read_text(),
    }  # fmt: skip


def _read(tried):
    """Returns the results of the ways; nothing if the writer was stopped in the middle."""
    try:
        return json.loads(tried.read_text())
    except (FileNotFoundError, ValueError):
        return {}


if __name__ == "__main__":
    main(*sys.argv[1:])
