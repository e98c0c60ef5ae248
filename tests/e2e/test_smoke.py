"""Tests that the application opens."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import reading

serving = pytest.fixture(reading)


def test_somebody_who_follows_the_link_is_in(page):
    """The login link opens the application, and its token disappears from the address."""
    expect(page).to_have_title("Chorus")
    expect(page.locator("#root > *").first).to_be_visible()
    assert "#" not in page.url
