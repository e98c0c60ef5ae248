"""A shared server for all tests of a module that do not change it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.show.server.serving import Browser, Serving, serving, session_of, until


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with one session that is indexed."""
    top = tmp_path_factory.mktemp("serving")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHORUS_HOME", str(top / "vault"))
        session = session_of()
        path = top / "client" / "projects" / "-p" / f"{session.id}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(session))
        with serving(top / "vault", top / "client") as found:
            browser = found.browser()
            until(lambda: browser.get("/api/conversations").json.get("conversations"))
            yield found


@pytest.fixture
def browser(server: Serving) -> Browser:
    """A browser that has logged in."""
    return server.browser()


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """Returns the paths of a vault and a client's folder that do not exist yet."""
    return tmp_path / "vault", tmp_path / "client"
