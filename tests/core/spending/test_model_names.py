"""Tests of model names as clients and cloud providers spell them."""

import pytest

from chorus.core.spending.model_names import Name, name_of


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("claude-opus-4-1-20250805", "claude-opus-4-1"),
        ("claude-opus-4-1", "claude-opus-4-1"),
        ("claude-opus-4.1", "claude-opus-4-1"),
        ("Claude-Opus-4-1", "claude-opus-4-1"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("claude-opus-4@20250514", "claude-opus-4"),
        ("claude-opus-4-0", "claude-opus-4"),
        ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5"),
        ("claude-opus-4-7[1m]", "claude-opus-4-7"),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet"),
        ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet"),
        ("claude-opus-5-2026-07-24", "claude-opus-5"),
        ("anthropic/claude-opus-4.5", "claude-opus-4-5"),
        ("vertex_ai/claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("claude-v2", "claude-v2"),
    ],
)
def test_a_snapshot_an_alias_and_a_window_are_the_same_model(text, model):
    """The date of a snapshot, the context window and the prefix of a provider are not part of a model's name."""
    assert name_of(text) == Name(model)


@pytest.mark.parametrize(
    ("text", "model", "is_regional"),
    [
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1", True),
        ("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", True),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet", True),
        ("global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6", False),
        ("us-gov.anthropic.claude-haiku-4-5-20251001-v1:0[1m]", "claude-haiku-4-5", True),
        (
            "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-opus-4-5-20251101-v1:0",
            "claude-opus-4-5",
            True,
        ),
    ],
)
def test_bedrock_tells_where_a_model_runs(text, model, is_regional):
    """Names of Bedrock show whether a model runs at a regional or at the global endpoint."""
    assert name_of(text) == Name(model, is_regional)


@pytest.mark.parametrize("text", ["claude-opus-5-6", "claude-opus-5-preview", "claude-opus-50", "claude-opus"])
def test_a_name_is_not_guessed_from_another(text):
    """A name that only begins like a known model is another model."""
    assert name_of(text).model == text


@pytest.mark.parametrize("text", ["", "-", "<synthetic>", "[" * 300, "-v1:0" * 100, "a" * 10_000, "\x1b[2J", "/"])
def test_any_text_has_a_name(text):
    """Any text gives a model name at once, however long or strange it is."""
    assert len(name_of(text).model) <= 200
