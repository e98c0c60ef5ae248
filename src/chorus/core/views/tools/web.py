"""Views of web tools: pages and searches."""

from chorus.core.records.model import tool_results, tools
from chorus.core.views import figures
from chorus.core.views.blocks import Block, Link, Links, Note, Prose
from chorus.core.views.tools.call import MadeCall, View


def fetch(call: MadeCall) -> View | None:
    """Shows the URL and the question about the page, then the answer."""
    if not isinstance(call.input, tools.WebFetch) or call.input.url is None:
        return None
    question: tuple[Block, ...] = (Note(text=call.input.prompt),) if call.input.prompt else ()
    output = call.result.structured if call.result else None
    if call.failure or not isinstance(output, tool_results.FetchResult) or not output.result:
        return View(call.input.url, question, call.results())
    facts = (
        " ".join(str(part) for part in (output.code, output.codeText) if part),
        figures.size(output.bytes) if output.bytes is not None else "",
    )
    got = " · ".join(fact for fact in facts if fact)
    answer = Prose(markdown=output.result)
    return View(call.input.url, question, (answer, Note(text=got)) if got else (answer,))


def search(call: MadeCall) -> View | None:
    """Shows the query, the pages found, and the text about them."""
    if not isinstance(call.input, tools.WebSearch) or call.input.query is None:
        return None
    output = call.result.structured if call.result else None
    if call.failure or not isinstance(output, tool_results.WebSearchResult) or not output.results:
        return View(call.input.query, (), call.results())
    found: list[Block] = []
    for part in output.results:
        if isinstance(part, str):
            found.extend([Prose(markdown=part)] if part.strip() else [])
        elif part.content:
            links = (Link(title=link.title or "", url=link.url or "") for link in part.content)
            found.append(Links(links=tuple(links)))
    return View(call.input.query, (), tuple(found))
