"""Tests of following panes that print records, with a real tmux."""

import json
import os
import shlex

import pytest

from chorus.base import processes
from chorus.base.config import Config
from chorus.steer.tmux.following import FOLLOW_OPTION, Following
from chorus.steer.tmux.open_servers import OpenServers
from tests.steer.tmux.streams import flat_events, printed, session_lines
from tests.support.panes import until

TEXT = "漢字 wide 🎉 and   blanks  " * 30


class Look:
    """Looks at all panes and writes what they print. A call returns the contents of the files."""

    def __init__(self, root, servers, warn):
        self.root = root
        self.servers = servers
        self.following = Following(root, warn)

    def __call__(self):
        self.following.look(self.servers.panes(), processes.at_terminals(), self.servers.connections())
        self.following.step()
        return [path.read_bytes() for path in sorted((self.root / "panes").glob("*"))]


@pytest.fixture
def follow(tmux, tmp_path):
    said = []
    with OpenServers(Config()) as servers:
        look = Look(tmp_path, servers, said.append)
        yield look
        look.following.close()
    assert said == []


def printing(tmux, data, name="data"):
    """Returns a shell script that waits for a line, prints the data, and then waits."""
    path = tmux.folder / name
    path.write_bytes(data)
    return f"read x; cat {shlex.quote(str(path))}; sleep 60"


def records_of(content):
    return [json.loads(line) for line in content.splitlines() if line.strip()]


@pytest.mark.parametrize("width", [20, 79, 80, 200])
def test_records_of_any_length_are_kept_at_any_width(tmux, follow, width):
    """Records longer than the terminal, with wide characters and blanks, are the same as they were printed."""
    data = printed(TEXT, "b" * 5_000, "漢" * 500)
    pane = tmux.open("sh", "-c", printing(tmux, data), width=width)
    tmux.run("send-keys", "-t", pane, "Enter")
    expected = [json.loads(line) for line in data.splitlines()]
    (content,) = until(lambda: (found := follow()) and len(records_of(found[0])) == len(expected) and found)
    assert records_of(content) == expected


@pytest.mark.parametrize("width", [21, 80])
def test_what_was_printed_before_is_taken_from_the_history(tmux, follow, width):
    """Wrapped rows of the history are joined exactly, also after the window was resized."""
    data = printed(TEXT, "x" * (width * 3), "漢" * 99)
    pane = tmux.open("sh", "-c", printing(tmux, data), width=width)
    tmux.run("send-keys", "-t", pane, "Enter")
    until(lambda: '"result"' in tmux.screen(pane).replace("\n", ""))
    tmux.run("resize-window", "-t", pane, "-x", str(width + 13))
    (content,) = until(follow)
    assert records_of(content) == [json.loads(line) for line in data.splitlines()]


def test_a_record_that_is_longer_than_the_screen_begins_a_stream(tmux, follow):
    """A pane is followed although the beginning of the record at the bottom of its screen has scrolled away."""
    data = printed("x" * 5_000).splitlines(keepends=True)
    pane = tmux.open("sh", "-c", printing(tmux, b"".join(data[:2])))
    tmux.run("send-keys", "-t", pane, "Enter")
    until(lambda: "}" in tmux.screen(pane))
    assert '"type"' not in tmux.screen(pane)
    (content,) = until(follow)
    assert records_of(content) == [json.loads(line) for line in data[:2]]


def test_live_and_history_together_are_complete(tmux, follow):
    """A pane that prints all the time is found in the middle: nothing is lost and nothing is there twice."""
    lines = printed().splitlines()
    status = {"type": "system", "subtype": "status", "session_id": "s"}
    many = [json.dumps(status | {"n": n, "uuid": f"u{n}"}) for n in range(3_000)]
    data = tmux.folder / "data"
    data.write_bytes(lines[0] + b"\n" + "\n".join(many).encode() + b"\n")
    script = f"while read -r line; do printf '%s\\n' \"$line\"; done < {data}; sleep 60"
    tmux.open("bash", "-c", script)

    def numbers():
        found = follow()
        return [each["n"] for each in records_of(found[0]) if "n" in each] if found else []

    until(lambda: len(numbers()) >= 3_000)
    assert numbers() == list(range(3_000))


@pytest.mark.parametrize("is_found_late", [False, True])
def test_a_window_that_is_resized_while_it_prints_loses_nothing(tmux, follow, is_found_late):
    """Rows with wide characters are joined exactly, however often the window gets wider and narrower meanwhile."""
    status = {"type": "system", "subtype": "status", "session_id": "s"}
    first = json.loads(printed().splitlines()[0])
    many = [status | {"n": n, "uuid": f"u{n}", "text": "漢字 🎉 e\u0301 ｆ→\u3000" * (n % 40)} for n in range(120)]
    data = tmux.folder / "data"
    data.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in (first, *many)))
    script = f"read x; while IFS= read -r line; do printf '%s\\n' \"$line\"; sleep 0.005; done < {data}; sleep 60"
    pane = tmux.open("bash", "-c", script, width=37)
    if not is_found_late:
        follow()
    tmux.run("send-keys", "-t", pane, "Enter")
    for width in (20, 300, 21, 80, 200, 33):
        if not is_found_late:
            follow()
        tmux.run("resize-window", "-t", pane, "-x", str(width), "-y", str(5 + width // 10))
    (content,) = until(lambda: (found := follow()) and len(records_of(found[0])) == 121 and found)
    assert records_of(content) == [first, *many]


def test_a_reader_that_is_too_slow_misses_nothing(tmux, follow):
    """What tmux drops while it pauses a pane for a slow reader comes from the history, in its place and once."""
    first = printed().splitlines()[0]
    status = {"type": "system", "subtype": "status", "session_id": "s"}
    data = tmux.folder / "data"
    data.write_bytes(b"\n".join([first, *(json.dumps(status | {"n": n}).encode() for n in range(6_000)), b""]))
    script = f"while read -r line; do printf '%s\\n' \"$line\"; done < {data}; sleep 60"
    tmux.open("bash", "-c", script, session="work")
    for _ in range(3):
        tmux.run("new-window", "-d", "-t", "work:", "--", "bash", "-c", script)

    def numbers():
        return [[each["n"] for each in records_of_json(content) if "n" in each] for content in follow()]

    until(lambda: len(numbers()) == 4)
    clients = tmux.run("list-clients", "-F", "#{client_name} #{client_flags}").splitlines()
    (slow,) = [each.split()[0] for each in clients if "pause-after" in each]
    while min(map(len, found := numbers())) < 6_000:
        for pane in range(4):
            tmux.run("refresh-client", "-t", slow, "-A", f"%{pane}:pause")
        assert all(each == list(range(len(each))) for each in found)
    assert numbers() == [list(range(6_000))] * 4


def test_a_lost_connection_is_made_again(tmux, follow):
    """Rows that were printed while the connection was lost come from the history, once."""
    first, second = printed("before"), flat_events("after", "after")
    (tmux.folder / "second").write_bytes(second)
    script = printing(tmux, first).replace("sleep 60", f"read x; cat {tmux.folder}/second; sleep 60")
    pane = tmux.open("sh", "-c", script)
    tmux.run("send-keys", "-t", pane, "Enter")
    until(follow)
    for connection in follow.following._output.values():
        os.kill(connection.pid, 9)
    tmux.run("send-keys", "-t", pane, "Enter")
    until(lambda: "after" in tmux.screen(pane))
    expected = [json.loads(line) for line in (first + second).splitlines()]
    (content,) = until(lambda: (found := follow()) and len(found[0].split(b"\n")) > len(expected) and found)
    assert records_of_json(content) == expected


def records_of_json(content):
    return [json.loads(line) for line in content.splitlines() if line.startswith(b"{")]


@pytest.mark.parametrize("is_seen_first", [True, False], ids=["output ends first", "pane is gone first"])
def test_a_session_of_tmux_that_ends_is_no_problem(tmux, follow, is_seen_first):
    """A program that ends, and its pane and session with it, leaves a whole stream and no warning."""
    tmux.open("sleep", "60", session="other")
    data = printed(TEXT)
    tmux.open("sh", "-c", printing(tmux, data), session="work")
    tmux.run("send-keys", "-t", "work", "Enter")
    until(lambda: follow() and follow.following.panes)
    panes = follow.servers.panes()
    tmux.run("kill-session", "-t", "work")
    until(lambda: len(follow.servers.panes()) == 1)
    if is_seen_first:
        follow.following.look(panes, processes.at_terminals(), follow.servers.connections())
        follow.following.step()
    until(lambda: follow() and not follow.following.panes)
    (content,) = follow()
    assert records_of(content) == [json.loads(line) for line in data.splitlines()]


def test_other_output_starts_nothing(tmux, follow):
    """A shell, logs in JSON and a session file on the screen are not followed."""
    data = b'{"level":"info","type":"log"}\n{"type":"text","text":"x"}\n' + session_lines()
    pane = tmux.open("sh", "-c", printing(tmux, data))
    tmux.run("send-keys", "-t", pane, "Enter")
    until(lambda: "assistant" in tmux.screen(pane))
    assert follow() == []
    assert follow.following.panes == []


def test_the_stream_ends_with_its_program(tmux, follow):
    """When the shell has the terminal again, what is typed there is not recorded."""
    data = tmux.folder / "data"
    data.write_bytes(printed("hello"))
    pane = tmux.open("bash", "--norc", "-i")
    until(lambda: tmux.screen(pane).strip())
    tmux.type(pane, f"sh -c 'cat {data}; sleep 1'")
    until(follow)
    until(lambda: follow() and not follow.following.panes)
    (content,) = follow()
    tmux.type(pane, "echo a sec''ret")
    until(lambda: "a secret" in tmux.screen(pane))
    assert follow() == [content]
    assert b"secret" not in content


def test_a_marked_pane_is_followed_even_if_it_has_ended(tmux, follow):
    """A pane that `chorus tmux run` made is read after its program ended, once."""
    data = printed("quick")
    (tmux.folder / "data").write_bytes(data)
    tmux.open("cat")
    tmux.run("set-option", "-g", "remain-on-exit", "on")
    pane = tmux.open("cat", str(tmux.folder / "data"))
    tmux.run("set-option", "-p", "-t", pane, FOLLOW_OPTION, "on")
    (content,) = until(follow)
    assert records_of_json(content) == [json.loads(line) for line in data.splitlines()]
    for _ in range(3):
        assert follow() == [content]
