"""The web: pages and searches."""

from chorus.core.records.model import tool_results, tools
from chorus.core.views import figures
from chorus.core.views.blocks import Block, Link, Links, Note, Prose
from chorus.core.views.tools.call import Made, View


def fetch(call: Made) -> View | None:
    """The address and the question to the page, then the answer."""
    if not isinstance(call.input, tools.WebFetch) or call.input.url is None:
        return None
    question: tuple[Block, ...] = (Note(text=call.input.prompt),) if call.input.prompt else ()
    told = call.result.structured if call.result else None
    if call.failure or not isinstance(told, tool_results.FetchResult) or not told.result:
        return View(call.input.url, question, call.results())
    facts = (
        " ".join(str(part) for part in (told.code, told.codeText) if part),
        figures.size(told.bytes) if told.bytes is not None else "",
    )
    got = " · ".join(fact for fact in facts if fact)
    answer = Prose(markdown=told.result)
    return View(call.input.url, question, (answer, Note(text=got)) if got else (answer,))


def search(call: Made) -> View | None:
    """The query, the pages found, and what was said of them."""
    if not isinstance(call.input, tools.WebSearch) or call.input.query is None:
        return None
    told = call.result.structured if call.result else None
    if call.failure or not isinstance(told, tool_results.WebSearchResult) or not told.results:
        return View(call.input.query, (), call.results())
    found: list[Block] = []
    for part in told.results:
        if isinstance(part, str):
            found.extend([Prose(markdown=part)] if part.strip() else [])
        elif part.content:
            links = (Link(title=link.title or "", url=link.url or "") for link in part.content)
            found.append(Links(links=tuple(links)))
    return View(call.input.query, (), tuple(found))
