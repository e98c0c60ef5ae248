"""Detectors for what hostile text would do in a page. Tests show that each one reacts on a page without protection."""

from typing import Any

from playwright.sync_api import Dialog, Page

AUDIT = """() => {
  const all = [...document.querySelectorAll('*')]
  const of = (each) => `${each.tagName.toLowerCase()} ${each.outerHTML.slice(0, 160)}`
  const own = new Set('src href action formaction data srcset poster xlink:href background ping'.split(' '))
  const bad = /^[\\s\\x00-\\x20]*(javascript|vbscript|data|blob|file)\\s*:/i
  const isOurs = (each) => each.tagName === 'SCRIPT' && each.src.startsWith(location.origin + '/')
  const isStyle = (each) => each.tagName === 'LINK' && each.href.startsWith(location.origin + '/')
  const elements = 'script, iframe, frame, object, embed, applet, base, style, link, form, video, audio, source, '
    + 'image, animate, foreignObject, meta[http-equiv]'
  return [
    ...[...document.querySelectorAll(elements)]
      .filter((each) => !isOurs(each) && !isStyle(each))
      .map((each) => `element ${of(each)}`),
    ...all.flatMap((each) => [...each.attributes]
      .filter(({ name }) => name.toLowerCase().startsWith('on'))
      .map(({ name }) => `handler ${name} of ${of(each)}`)),
    ...all.flatMap((each) => [...each.attributes]
      .filter(({ name, value }) => own.has(name.toLowerCase()) && bad.test(value))
      .map(({ name }) => `address ${name} of ${of(each)}`)),
    ...[...document.querySelectorAll('img, picture, input[type=image]')]
      .filter((each) => !(each.getAttribute('src') ?? '').startsWith('/api/'))
      .map((each) => `picture ${of(each)}`),
    ...[...document.querySelectorAll('a[href]')]
      .filter((each) => new URL(each.href).origin !== location.origin)
      .filter((each) => each.rel !== 'noopener noreferrer' || each.target !== '_blank')
      .map((each) => `link ${of(each)}`),
    ...all.filter((each) => /url\\s*\\(/i.test(each.getAttribute('style') ?? '')).map((each) => `style ${of(each)}`),
  ]
}"""


class Trap:
    """Collects what hostile text did to one page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._before = len(page.context.pages)
        self.dialogs: list[str] = []
        page.on("dialog", self._asked)

    def _asked(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def sprung(self) -> dict[str, Any]:
        """Returns everything that was detected so far; it is empty for a page that nothing touched."""
        polluted = "Object.keys(Object.prototype).length + Number(({}).polluted !== undefined)"
        seen = {
            "ran": self._page.evaluate("window.__pwned ?? null"),
            "dialogs": self.dialogs,
            "in the document": self._page.evaluate(AUDIT),
            "prototype": self._page.evaluate(polluted),
            "windows": len(self._page.context.pages) - self._before,
        }
        return {name: each for name, each in seen.items() if each}
