"""Tests the last check, which finds a hidden value in a finished file in any encoding."""

import json
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest

from chorus.core.redaction.checking import leaks
from chorus.core.redaction.findings import Finding
from chorus.core.redaction.rules import SECRETS

VALUE = 'pa ss/wörd+"q"7\n'


@pytest.mark.parametrize("write", [str, quote, lambda text: quote(text, safe=""), lambda text: json.dumps(text)[1:-1]])
def test_a_value_in_any_form_is_noticed(write):
    """A value is found in its plain form, in an address and in JSON."""
    finding = Finding(rule=SECRETS[0], value=VALUE, placeholder="[x-1]")

    assert leaks(f"before {write(VALUE)} after".encode(), [finding]) == [finding]
    assert leaks(b"something else", [finding]) == []


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
def test_a_value_in_base64_is_noticed_at_any_position(before):
    """A value is found in the base64 form of a longer text, at any position."""
    finding = Finding(rule=SECRETS[0], value=VALUE, placeholder="[x-1]")
    for encode in (b64encode, urlsafe_b64encode):
        assert leaks(encode(f"{before}{VALUE}and more".encode()), [finding]) == [finding]
