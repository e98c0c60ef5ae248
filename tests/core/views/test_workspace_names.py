"""Tests of the names of workspaces."""

import re

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.views.workspace_names import WorkspaceNames
from chorus.keep.vault.keys import workspace_id

_STEPS = st.lists(st.sampled_from(["shop", "web", "api", "2", "3", "a b", "Café", "..", "x-12345678"]), max_size=5)
_ID = re.compile(r".+-[0-9a-f]{8}")


def names(*places: str) -> list[str]:
    """Returns the names of these workspaces in the given order."""
    ids = [workspace_id(place) for place in places]
    called = WorkspaceNames(dict(zip(ids, places, strict=True)))
    return [called.of(id_) for id_ in ids]


def test_a_workspace_is_called_by_its_folder() -> None:
    """A workspace is named after its last folder on any system, and the root is named with a slash."""
    assert names("/home/me/shop", "C:\\work\\Zelt\\", "/srv/cli", "/") == ["shop", "Zelt", "cli", "/"]


def test_folders_of_one_name_get_the_folder_above() -> None:
    """Workspaces that share a name are named with as many parent folders as needed to differ."""
    assert names("/a/shop/web", "/b/shop/web", "/b/zoo/web", "/x/api") == [
        "a/shop/web", "b/shop/web", "zoo/web", "api",
    ]  # fmt: skip
    assert names("/web", "/x/web") == ["/web", "x/web"]


def test_a_number_alone_is_no_name() -> None:
    """A folder with a number as its name, such as `2`, is named together with its parent folder."""
    assert names("/data/logs/2", "/data/logs/3", "/1/2") == ["logs/2", "logs/3", "/1/2"]


def test_a_project_of_the_client_is_called_without_the_way_to_it() -> None:
    """If no record names a folder, the workspace has the client's name of the project, without the path before it."""
    assert names("-home-me-code-shop", "-Users-ada-zoo", "-root-x", "C--Users-me-web", "-srv-app") == [
        "code-shop", "zoo", "x", "web", "srv-app",
    ]  # fmt: skip


def test_a_workspace_that_nobody_listed_has_a_name() -> None:
    """An unlisted workspace is named after the folder of a conversation in it, or after the text of its id.

    The id itself is never its name.
    """
    called = WorkspaceNames({})
    id_ = workspace_id("/home/me/My Shop")
    assert called.of(id_, "/home/me/My Shop") == "My Shop"
    assert called.of(id_, "/elsewhere") == called.of(id_) == "my-shop"
    assert called.of("2-0123abcd") == "unknown folder 2"


@given(st.lists(_STEPS.map(lambda steps: "/" + "/".join(steps)), unique=True, max_size=8))
def test_names_tell_workspaces_apart(places: list[str]) -> None:
    """No two folders have the same name, each name is the end of the path, and no name consists only of digits."""
    found = names(*places)
    assert len(set(found)) == len(found)
    for place, name in zip(places, found, strict=True):
        assert place.endswith(name)
        assert any(map(str.isalpha, name)) or name == place


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=30), max_size=6), st.text(max_size=12), st.text())
def test_any_text_has_a_name(places: dict[str, str], workspace: str, folder: str) -> None:
    """A workspace has a name for any text as its folder."""
    called = WorkspaceNames(places)
    assert all(called.of(each) for each in (*places, workspace))
    assert called.of(workspace, folder)
