"""Tests of keys that are recognised by a word in their prefix, of services that no rule knows."""

import random
import string

import pytest

from chorus.core.redaction.rules.marked import MARKED
from chorus.core.redaction.scanner import Scanner

LETTERS = string.ascii_letters + string.digits
SCANNER = Scanner()


def made_up(length, letters=LETTERS):
    return "".join(random.Random(length).choices(letters, k=length))


@pytest.mark.parametrize(
    "key",
    [
        f"brook_pat_{made_up(36)}",
        f"sk-brook-{made_up(48)}",
        f"brook_api_{made_up(40, string.hexdigits[:16])}",
        f"sk-brk-01-{made_up(60, LETTERS + '-_')}",
        f"apk_user_{made_up(64)}",
        f"brook_live_{made_up(32, string.ascii_lowercase + string.digits)}",
        f"brook_pat_{made_up(30)}.{made_up(43)}",
    ],
)
def test_a_key_of_an_unknown_service_is_found(key):
    """A random value after a prefix with such a word is found as a whole, where it stands alone."""
    for text in (key, f"It prints {key}, and ends.", f"[{key}]"):
        assert [span.value for span in SCANNER.scan(text)] == [key], text


@pytest.mark.parametrize(
    "text",
    [
        "sk_learn_feature_extraction_for_2_columns",
        "test_api_create_user_from_template_2024_with_email",
        "get_secret_value_from_the_store_2",
        "shop-api-5d8f9c7b6d9a1b2c3d4e5f60718293a4b5c6d7e8",
        "registry.brook.io/team/shop-token-4f3a2b1c9d8e7f605142:latest",
        "api_getUserProfileWithSettingsV2",
        "https://brook.io/pat_9f8e7d6c5b4a39281706f5e4d3c2b1a0/index.html",
        "$sk_4f3a2b1c9d8e7f60514233a4b5c6d7e8",
    ],
)
def test_names_are_no_keys(text):
    """Names of several words, tags of images, paths and variables are not taken for such a key."""
    assert [span for span in SCANNER.scan(text) if span.rule.id == MARKED] == []
