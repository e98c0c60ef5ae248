"""Tests where a client puts the files of a session, and that no other file is taken for one of them."""

import os
from pathlib import Path

import pytest

from chorus.keep.sources import layout
from chorus.testing.builders import Layout, Session, lay_out, tool_use


@pytest.fixture
def session():
    made = Session(slug="quiet-river")
    made.assistant(tool_use("Agent", id="toolu_1"), tool_use("Agent", id="toolu_2"))
    for n in (1, 2):
        made.agent(f"a{n}", f"toolu_{n}", description=f"Errand {n}").user("Look")
    return made


def test_sub_agents_below_and_beside(tmp_path, session):
    """Sub-agent files are found in the session's folder, at any depth, and beside the session."""
    path = lay_out(tmp_path, session, Layout.BELOW)
    lay_out(tmp_path, session, Layout.BESIDE)
    nested = path.with_suffix("") / "subagents" / "workflows" / "w1" / "agent-a3.jsonl"
    nested.parent.mkdir(parents=True)
    nested.touch()

    names = [found.relative_to(path.parent).as_posix() for found in layout.agent_files(path)]
    below = [
        f"{session.id}/subagents/{name}" for name in ("agent-a1.jsonl", "agent-a2.jsonl", "workflows/w1/agent-a3.jsonl")
    ]
    assert names == [*below, "agent-a1.jsonl", "agent-a2.jsonl"]


def test_a_session_alone_has_no_sub_agents(tmp_path, session):
    """In the oldest layout a session has only its own file."""
    assert layout.agent_files(lay_out(tmp_path, session, Layout.INLINE)) == []


def test_sidecars(tmp_path, session):
    """The sidecar of a sub-agent is read if it exists."""
    agents = layout.agent_files(lay_out(tmp_path, session, Layout.BELOW))

    assert b"Errand 1" in (layout.read_meta(agents[0]) or b"")
    layout.meta_file(agents[0]).unlink()
    assert layout.read_meta(agents[0]) is None


def test_a_sidecar_that_is_a_link_is_not_read(tmp_path, session):
    """A sidecar that is a link is not read, not even if the link was made later."""
    agents = layout.agent_files(lay_out(tmp_path, session, Layout.BELOW))
    (tmp_path / "secret").write_text("secret")
    meta = layout.meta_file(agents[0])
    meta.unlink()
    meta.symlink_to(tmp_path / "secret")

    assert layout.read_meta(agents[0]) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_sidecar(tmp_path, session):
    """A named pipe is not waited for."""
    agents = layout.agent_files(lay_out(tmp_path, session, Layout.BELOW))
    meta = layout.meta_file(agents[0])
    meta.unlink()
    os.mkfifo(meta)

    assert layout.read_meta(agents[0]) is None


def test_side_files(tmp_path, session):
    """An output is found by its name, and is reported as missing if it does not exist."""
    path = lay_out(tmp_path, session, side_files={"b1.txt": "ü" * 1000})
    found, gone = (layout.find_side_file(path, name) for name in ("b1.txt", "b2.txt"))

    assert (found.size_bytes, gone.size_bytes) == (2000, None)
    assert Path(found.path).read_text(encoding="utf-8") == "ü" * 1000


@pytest.mark.parametrize("name", ["../x.txt", "a/../../x.txt", "..", ".", "", "/x.txt", "a/b.txt", "x\0.txt"])
def test_a_side_file_is_a_name_not_a_path(tmp_path, session, name):
    """A value that is more than a file name finds no side file."""
    path = lay_out(tmp_path, session, side_files={"x.txt": "x"})
    (path.with_suffix("") / "x.txt").write_text("outside")

    assert layout.find_side_file(path, name).size_bytes is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_side_file(tmp_path, session):
    """A named pipe has no size and is not waited for."""
    path = lay_out(tmp_path, session, side_files={"x.txt": "x"})
    inside = path.with_suffix("") / "tool-results" / "x.txt"
    inside.unlink()
    os.mkfifo(inside)

    assert layout.find_side_file(path, "x.txt").size_bytes is None


def test_plans(tmp_path, session):
    """A plan is read only for a session in a client's own folder."""
    path = lay_out(tmp_path, session, plan="# Plan")
    assert layout.read_plan(path, "quiet-river") == "# Plan"
    assert layout.read_plan(path, "other") is None

    elsewhere = tmp_path / "exports" / path.parent.name
    elsewhere.mkdir(parents=True)
    moved = path.rename(elsewhere / path.name)
    assert layout.read_plan(moved, "quiet-river") is None


@pytest.mark.parametrize("slug", ["../plans/quiet-river", "a/b", ".quiet", "", "..", "/quiet-river", "a\0b"])
def test_a_slug_is_a_name_not_a_path(tmp_path, session, slug):
    """A slug that is more than a name finds no plan."""
    path = lay_out(tmp_path, session, plan="# Plan")
    for name in (".quiet.md", ".md"):
        (tmp_path / "plans" / name).write_text("hidden")

    assert layout.read_plan(path, slug) is None


def test_a_side_folder_that_is_a_link_leads_nowhere(tmp_path, session):
    """The side folder of a session is not followed if it is a link."""
    path = lay_out(tmp_path, session, side_files={"x.txt": "x"})
    real = path.with_suffix("").rename(tmp_path / "elsewhere")
    path.with_suffix("").symlink_to(real, target_is_directory=True)

    assert layout.find_side_file(path, "x.txt").size_bytes is None


def test_a_session_that_is_named_like_an_agent_is_not_its_own(tmp_path):
    """A session file that is named like a sub-agent is not one of its own sub-agents."""
    (tmp_path / "agent-x.jsonl").touch()
    (tmp_path / "agent-y.jsonl").touch()

    assert layout.agent_files(tmp_path / "agent-x.jsonl") == [tmp_path / "agent-y.jsonl"]


def test_a_plan_need_not_be_utf_8(tmp_path, session):
    """Bytes of a plan that are no text are shown as such, and raise no error."""
    path = lay_out(tmp_path, session, plan="# Plan")
    (tmp_path / "plans" / "quiet-river.md").write_bytes(b"# \xff")

    assert layout.read_plan(path, "quiet-river") == "# \ufffd"


def test_long_sidecars_and_plans_are_cut(tmp_path, session):
    """Long sidecars and plans are cut, so a file of any size does not fill the memory."""
    path = lay_out(tmp_path, session, plan="x" * (9 << 20))
    (agent, _) = layout.agent_files(path)
    layout.meta_file(agent).write_bytes(b"x" * (2 << 20))

    assert len(layout.read_meta(agent) or b"") == 1 << 20
    assert len(layout.read_plan(path, "quiet-river") or "") == 8 << 20
