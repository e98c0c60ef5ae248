"""Tests of the public names of the library, which are fixed: adding one is a decision."""

import chorus

PUBLIC = """\
Agent Append Author Block Branch Call CallState Change ChorusError Compaction Conversation ConversationCost Cost Dialect
Fold Follow Item Message ModeChange Notice Permission Place Queued Reach Record Remove Session SideFile SourceUnreadable
Status Step Tokens ToolCall ToolOutput ToolResult Turn Unread Vault active_thread branches cost count fold follow open
open_all price_table read search vault
"""


def test_the_public_names_are_these() -> None:
    """The public names are exactly these, and every one can be resolved."""
    assert chorus.__all__ == sorted(PUBLIC.split())
    assert all(getattr(chorus, name) is not None for name in PUBLIC.split())
    assert set(PUBLIC.split()) <= set(dir(chorus))


def test_public_things_say_what_they_are() -> None:
    """All public functions and classes of the library are documented."""
    silent = [name for name in PUBLIC.split() if not (getattr(chorus, name).__doc__ or "").strip()]

    assert silent == []
