"""Tests that Chromium draws the corpora of the unit tests under the policy of the server."""

import json
import mimetypes
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, Route

from chorus.show.server.edge.headers import POLICY
from tests.e2e.conftest import reading
from tests.e2e.support.scripts import built_corpora
from tests.e2e.support.serving import Serving

PAGE = (
    "<!doctype html><link rel=icon href=/corpora/icon.svg><body><script type=module src=/corpora/corpora.js></script>"
)
RAW = """
<!doctype html><link rel=icon href=/corpora/icon.svg><base href="http://127.0.0.1:1/">
<body><script>ran("an inline script")</script><script>document.title = "ran"</script>
<img src=/none onerror='document.title = "ran"'><svg onload='document.title = "ran"'></svg>
<a id=go href='javascript:document.title = "ran"'>go</a><p id=styled style="color: rgb(1, 2, 3)"></p>
<iframe srcdoc='<script>parent.document.title = "ran"</script>'></iframe>
<object data='data:text/html,<script>top.document.title = "ran"</script>'></object>
<form id=form action='http://127.0.0.1:1/'><input name=a></form>
<script type=module src=/corpora/corpora.js></script>
"""
"""A page that a careless server would make: it has the text of a transcript in it as it is."""
SINKS = """
  const tries = {
    innerHTML: () => { document.body.innerHTML += "<i>x</i>" },
    outerHTML: () => { document.getElementById("styled").outerHTML = "<i>x</i>" },
    insertAdjacentHTML: () => document.body.insertAdjacentHTML("beforeend", "<i>x</i>"),
    "document.write": () => document.write("<i>x</i>"),
    "text of a script": () => { document.createElement("script").textContent = "document.title = 'ran'" },
    "source of a script": () => { document.createElement("script").src = "data:text/javascript,0" },
    eval: () => eval("document.title = 'ran'"),
    Function: () => new Function("document.title = 'ran'")(),
    setTimeout: () => setTimeout("document.title = 'ran'"),
    "a handler": () => { document.createElement("img").setAttribute("onerror", "document.title = 'ran'") },
    DOMParser: () => new DOMParser().parseFromString("<i>x</i>", "text/html"),
    createContextualFragment: () => document.createRange().createContextualFragment("<i>x</i>"),
    srcdoc: () => { document.querySelector("iframe").srcdoc = "<i>x</i>" },
    "a policy of its own": () => trustedTypes.createPolicy("evil", { createHTML: (text) => text }),
  }
  const refused = [], done = []
  for (const [name, act] of Object.entries(tries)) {
    try { act(); done.push(name) } catch (error) { refused.push(name) }
  }
  document.getElementById("go").click()
  let reached = "no"
  try { await fetch("http://127.0.0.1:1/"); reached = "yes" } catch (error) { reached = "no" }
  await new Promise((resolve) => setTimeout(resolve, 300))
  const found = document.createElement("pre")
  found.id = "found"
  found.textContent = JSON.stringify({
    title: document.title, refused, done, reached, base: document.baseURI === location.href,
    colour: getComputedStyle(document.getElementById("styled")).color,
  })
  document.body.append(found)
"""
PATIENCE_MS = 60_000

serving = pytest.fixture(reading)


def open_corpora(page: Page, serving: Serving, script: str | None = None, text: str = PAGE) -> list[str]:
    """Draws the corpora in a page with the headers of the application, and returns what went wrong."""
    folder = built_corpora()
    with urlopen(serving.url + "/") as application:
        headers = {name: value for name, value in application.headers.items() if name.lower() != "content-length"}

    def give(route: Route) -> None:
        path = route.request.url.removeprefix(f"{serving.url}/corpora/")
        if path == "":
            route.fulfill(body=text, headers=headers)
        elif path == "icon.svg":
            route.fulfill(body="<svg xmlns='http://www.w3.org/2000/svg'/>", content_type="image/svg+xml")
        elif path == "corpora.js" and script is not None:
            route.fulfill(body=script, content_type="text/javascript")
        else:
            route.fulfill(path=folder / path, content_type=mimetypes.guess_type(path)[0])

    page.route(f"{serving.url}/corpora/**", give)
    answer = page.goto("/corpora/")
    assert answer is not None
    assert answer.header_value("content-security-policy") == POLICY.decode()
    found = page.locator("#found")
    found.wait_for(state="attached", timeout=PATIENCE_MS)
    return (found.text_content() or "").splitlines()


def test_the_policy_is_in_force(entered, serving, contexts):
    """As a control, a script that sets HTML in that page is refused."""
    contexts.watch_of(entered).expect("TrustedHTML")
    script = """
      const found = document.createElement("pre")
      found.id = "found"
      try { document.createElement("i").innerHTML = "&copy;" } catch (error) { found.textContent = String(error) }
      document.body.append(found)
    """

    assert any("TrustedHTML" in line for line in open_corpora(entered, serving, script))


def test_every_corpus_is_drawn_under_the_policy(entered, serving, contexts):
    """Hostile texts in every field and Markdown of every kind are drawn without a failure or a refusal."""
    contexts.watch_of(entered).expect("/api/")
    found = open_corpora(entered, serving)

    assert found == [], "\n".join(found[:20])
    assert int(entered.locator("#found").get_attribute("data-drawn")) > 30


def test_nothing_that_is_injected_runs(entered, serving, contexts):
    """B3: scripts, handlers and styles in a page of raw text do nothing, and every sink of the browser is refused."""
    watch = contexts.watch_of(entered)
    for expected in ("Content Security [Pp]olicy", "TrustedHTML", "TrustedScript", "Refused", "net::ERR", "404"):
        watch.expect(expected)

    (line,) = open_corpora(entered, serving, SINKS, RAW)

    found = json.loads(line)
    assert found["title"] == "" and found["done"] == []
    assert (found["reached"], found["base"], found["colour"]) == ("no", True, "rgb(0, 0, 0)")
    print(f"B3: {RAW.count('ran')} injected scripts, 0 ran; {len(found['refused'])} sinks, all refused")
