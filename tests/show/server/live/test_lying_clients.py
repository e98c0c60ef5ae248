"""Tests of panes that lie in less obvious ways: look-alike labels, half a prompt, keys that go elsewhere, odd files."""

import os
import random
import sys

import pytest

from tests.show.server.live.test_pane_requests import OPTIONS, RULE, prompt, scene
from tests.steer.clients.entries import entry, put
from tests.support import byte_recorder
from tests.support.panes import until

__all__ = ["scene"]


def with_client(scene, text, *commands, **changes):
    """Shows a text in a pane whose client, by its registry and its file, asks about `touch a`."""
    pane = scene.show(text)
    return pane, scene.client(pane, *(commands or ("touch a",)), **changes)


def with_options(*options):
    return lambda scene: with_client(scene, prompt("touch a", options))


def with_command(shown, real):
    return lambda scene: with_client(scene, prompt(shown), real)


def with_question(question):
    return lambda scene: with_client(scene, prompt("touch a", question=question))


def with_screen(text):
    return lambda scene: with_client(scene, text)


def with_entry(**changes):
    return lambda scene: with_client(scene, prompt("touch a"), **changes)


def synchronized(scene):
    pane, _ = with_client(scene, prompt("touch a"))
    scene.count += 1
    other = scene.tmux.folder / f"bytes-{scene.count}"
    other.write_bytes(b"")
    scene.tmux.run("split-window", "-t", pane, sys.executable, byte_recorder.__file__, str(other), "x")
    scene.tmux.run("set-option", "-w", "-t", pane, "synchronize-panes", "on")


def without_input(scene):
    pane, _ = with_client(scene, prompt("touch a"))
    scene.tmux.run("select-pane", "-d", "-t", pane)


def in_a_menu_of_tmux(scene):
    pane, _ = with_client(scene, prompt("touch a"))
    scene.tmux.run("clock-mode", "-t", pane)


def narrow(scene):
    pane, _ = with_client(scene, prompt("touch a"))
    scene.tmux.run("resize-window", "-t", pane, "-x", "12", "-y", "8")


def cut_at_the_top(scene):
    pane, _ = with_client(scene, prompt("touch a"))
    scene.tmux.run("resize-window", "-t", pane, "-y", "6")


def in_both_screens(scene):
    with_client(scene, prompt("touch b") + "\x1b[?1049h\x1b[2J\x1b[H" + prompt("rm -rf x"))


def drawn_by_another_program(scene):
    pane, _ = with_client(scene, "working …")
    scene.draw(pane, prompt("touch b"))


def two_sessions_of_one_client(scene):
    pane, _ = with_client(scene, prompt("touch a"))
    scene.client(pane, "touch b")


def file_leads_elsewhere(scene):
    _, session = with_client(scene, prompt("touch a"))
    path = scene.claude / "projects" / "-w" / f"{session.id}.jsonl"
    real = scene.claude.parent / f"{session.id}.elsewhere"
    path.rename(real)
    path.symlink_to(real)


def entry_is_a_link(scene):
    pane = scene.show(prompt("touch a"))
    session = scene.client(pane, "touch a", status="idle")
    said = {"status": "waiting", "waitingFor": "permission prompt", "statusUpdatedAt": 1}
    put(scene.claude, entry(scene.pid(pane), session=session.id, **said))
    path = scene.claude / "sessions" / f"{scene.pid(pane)}.json"
    real = scene.claude / f"{scene.pid(pane)}.elsewhere"
    path.rename(real)
    path.symlink_to(real)


def same_call_again(scene):
    _, session = with_client(scene, prompt("touch a"), "touch a", "touch a")
    assert session


LIES = [
    with_options(" ❯ 1. Yеs", "   2. No"),
    with_options(" ❯ 1. Ｙes", "   2. No"),
    with_options(" ❯ 1. Yes\u200b", "   2. No"),
    with_options(" ❯ １. Yes", "   ２. No"),
    with_options(" ❯ 1. \u202eseY", "   2. No"),
    with_options(" ❯ 1. Yes, and never ask again", "   2. Yes", "   3. No"),
    with_options(" ❯ 1. Yes, and never ask again", "   2. No", "   3. Yes"),
    with_options(" ❯ 1. No", "   2. Yes"),
    with_options(" ❯ 1. Yes", "   2. No", "   3. Yes, and never ask again"),
    with_options(" ❯ 1. Yes", "   2. No", "   3. No"),
    with_options("   1. Yes", " ❯ 2. No"),
    with_options(" ❯ 1. Yes"),
    with_options(" ❯ 1. Yes", "   2. No", "   2. Yes"),
    with_options(" ❯ 1. yes", "   2. no"),
    with_options(" ❯ 1. Yes", "   3. No"),
    with_options(" ❯ 1. Yes", "   2. No", "$ "),
    with_command("touch а", "touch a"),
    with_command("touch a\u200b", "touch a"),
    with_command("touch a &", "touch a"),
    with_command("touch a #", "touch a"),
    with_command("$(touch a)", "touch a"),
    with_command("touch", "touch a"),
    with_command("…", "touch a"),
    with_command("touch a\r\n touch b", "touch a; touch b"),
    with_question(" Do you want to"),
    with_question(" Do you want to proceed? [y/n]"),
    with_question(" Proceed?"),
    with_screen("\r\n".join(("touch a", " Do you want to proceed?", *OPTIONS))),
    with_screen(prompt("touch a").replace(RULE, "-" * 78)),
    with_screen(prompt("touch a") + "\r\n❯ "),
    with_screen(prompt("touch a") + prompt("touch b")),
    with_screen(prompt("touch b") + "\x1b[H\x1b[2J" + "\r\n".join(OPTIONS)),
    with_screen(prompt("touch a").replace("\r\n", "\n\x1b[1A")),
    with_screen("\x1b[8m" + "x" * 2_000 + "\x1b[0m"),
    with_entry(status="Waiting"),
    with_entry(waitingFor=""),
    with_entry(waitingFor=["permission prompt"]),
    with_entry(statusUpdatedAt="now"),
    with_entry(statusUpdatedAt=True),
    with_entry(procStart=""),
    with_entry(pid=1),
    with_entry(pid=os.getppid()),
    synchronized, without_input, in_a_menu_of_tmux, narrow, cut_at_the_top, in_both_screens, drawn_by_another_program,
    two_sessions_of_one_client, file_leads_elsewhere, entry_is_a_link, same_call_again,
]  # fmt: skip


@pytest.mark.parametrize("rounds", [1, pytest.param(4, marks=pytest.mark.long)])
def test_panes_that_nearly_ask_get_no_key(scene, rounds):
    """A prompt that is only nearly that of the client gets no card, and no pane gets a byte."""
    lies = LIES if rounds > 1 else random.Random(7).sample(LIES[:42], 9) + LIES[42:]
    for _ in range(rounds):
        for lie in lies:
            lie(scene)
    assert [row.request.input for row in scene.look(4)] == []
    assert scene.got() == b""
    assert rounds * len(lies) >= (200 if rounds > 1 else 20)


def test_a_prompt_whose_keys_also_go_elsewhere_gets_none_from_the_card(scene):
    """Panes that were synchronized after the card was shown get no key."""
    pane, _ = with_client(scene, prompt("touch a"))
    scene.requests.look(scene.servers.connections())
    scene.now += 60
    scene.requests.look(scene.servers.connections())
    (row,) = scene.person.ledger.pending()
    scene.person.allow(row)
    scene.tmux.run("set-option", "-w", "-t", pane, "synchronize-panes", "on")
    until(lambda: scene.tmux.ask(pane, "pane_synchronized") == "1")
    scene.requests.step(scene.servers.connections())
    assert scene.person.ledger.row(row.id).effect == "failed"
    assert scene.got() == b""
