"""Tests of side files: long outputs in files of their own, and the plan."""

import json

import pytest

from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from chorus.testing.builders.blocks import tool_use
from chorus.testing.builders.disk import lay_out
from tests.cli.commands import run, run_json
from tests.keep.archive.vaults import keep

REFERENCES = {
    "persisted": "<persisted-output>\nToo large. Full output saved to: /x/tool-results/b1.txt\n\nPreview:\nbegin",
    "of a server": "Error: result (90,412 characters) exceeds maximum allowed tokens. Output has been saved to "
    "/x/tool-results/b1.txt.\nFormat: Plain text\n",
    "stored": "[stored in .claude/projects/x/tool-results/b1.txt]",
}
OUTPUT = "first line\n" + "filling\n" * 900 + "the needle at its end\n"


@pytest.fixture(params=REFERENCES)
def path(tmp_path, monkeypatch, request):
    session = Session(slug="quiet-river")
    session.user("Go")
    session.assistant(tool_use("Bash", {"command": "make"}))
    session.tool_result("toolu_1", REFERENCES[request.param])
    home = tmp_path / "claude"
    made = lay_out(home, session, side_files={"b1.txt": OUTPUT}, plan="# The plan\n\nFirst mend the boiler.")
    # Other writers of JSON use other spaces and escapes.
    lines = [json.loads(line) for line in made.read_bytes().splitlines()]
    text = "\n".join(json.dumps(line, separators=(" , ", " : ")) for line in lines) + "\n"
    made.write_text(text.replace('"slug"', '"sl\\u0075g"').replace("quiet-river", "quiet\\u002driver"))
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", home)
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))
    monkeypatch.chdir(tmp_path)
    return made


@pytest.mark.parametrize("is_kept", [True, False])
def test_show_full_prints_the_whole_output(path, is_kept):
    """`--full` prints the whole output from the vault and from live files.

    Otherwise the start and the place are shown.
    """
    source = path.stem if is_kept else path

    assert "the needle at its end" in run("show", "--full", source).output
    short = run("show", source).output
    assert "the needle at its end" not in short and "tool-results/b1.txt" in short


def test_a_search_finds_what_the_output_says(path):
    """The hit is the call, and its snippet shows the words of the side file."""
    run("index")
    (hit,) = run_json("search", '"needle at its end"')["hits"]

    assert "needle" in json.dumps(hit)
    assert "needle" in run("search", "needle").output


@pytest.mark.parametrize("is_kept", [True, False])
def test_the_plan_is_shown(path, is_kept):
    """The plan follows the conversation in the terminal and in Markdown, however the records write its name."""
    source = path.stem if is_kept else path

    assert "mend the boiler" in run("show", source).output
    assert "mend the boiler" in run("show", "--markdown", source).output
