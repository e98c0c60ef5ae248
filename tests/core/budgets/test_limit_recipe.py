"""Tests that fail when somebody adds a limit of a budget and forgets a step of its recipe."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chorus.cli.commands.budget import set_
from chorus.core.budgets.budget import MEASURES, OF_ONE_CONVERSATION, SCOPES
from chorus.core.protocol.launch import Launch
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.memory import MemoryIndex
from chorus.keep.vault.memory import MemoryVault
from chorus.show.board.budget_meter import BudgetMeter, Work
from chorus.steer.runs.own_meter import OwnMeter
from chorus.steer.runs.pipe_recorder import PipeRecorder
from chorus.steer.runs.run_folders import Run
from chorus.testing.builders import Session
from chorus.testing.indexes import keep, name_of, whole

ROOT = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize("scope", SCOPES)
def test_the_server_measures_every_limit(tmp_path, scope):
    """An amount that the server does not measure would count as 0, and the limit would never be reached."""
    vault, index, session = MemoryVault(), MemoryIndex(), Session()
    session.user("Go.")
    session.assistant("Done.", stop="end_turn")
    keep(vault, session)
    index.write(list(whole(vault)))
    work = Work(conversation=name_of(session), workspace_name="shop", run="run-1")

    used = BudgetMeter(index, vault, Costs(tmp_path), [work], NOW).used(work, scope, None)

    assert used.amounts.keys() == set(MEASURES) - (
        set() if scope in ("run", "conversation") else set(OF_ONE_CONVERSATION)
    )


def test_a_run_measures_every_limit_itself(tmp_path):
    """A run holds its own limits without a server, so it measures each of them."""
    run = Run(
        id="run-1",
        started_at="",
        path="",
        workspace="shop",
        agent="main",
        launch=Launch(session="s"),
        program="",
        vault="",
        state="",
    )
    recorder = PipeRecorder(MemoryVault(), run, lambda: "2026-01-05T12:00:00.000Z")

    used = OwnMeter(recorder, Costs(tmp_path).cost_of).used(turns=0, started_at="", now=NOW)

    assert used.amounts.keys() == set(MEASURES)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_limit_is_explained(measure):
    """The guide, the help of the command and the hint of the page name each limit."""
    guide = (ROOT / "docs" / "guide" / "budgets.md").read_text("utf-8")
    page = (ROOT / "web/src/features/approvals/budgets/set-budget.tsx").read_text("utf-8")

    assert re.search(rf"^\| `{measure}:", guide, re.MULTILINE)
    assert f"{measure}:" in (set_.help or "")
    assert f"<code>{measure}:" in page
