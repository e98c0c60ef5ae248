"""A page of another origin on the same machine, such as any program that listens on a port can show."""

import contextlib
import http.server
import threading
from collections.abc import Iterator

PAGE = b"<!doctype html><meta charset=utf-8><title>Elsewhere</title><p>Nothing to see here.</p>"


class _Elsewhere(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names this parameter
        pass


@contextlib.contextmanager
def elsewhere() -> Iterator[int]:
    """Serves an empty page until the end of the block, and yields its port."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield listening.server_address[1]
        finally:
            listening.shutdown()
            thread.join()


DRILL = """async ({ target, secret }) => {
  const got = {}
  const socketTarget = target.replace(/^http/, 'ws')
  const within = (promise) => Promise.race([promise, new Promise((done) => setTimeout(() => done('nothing'), 4000))])
  const attempt = async (name, act) => {
    try { got[name] = await within(act()) } catch (error) { got[name] = 'refused' }
  }
  const text = async (answer) => {
    if (answer.type === 'opaque') return 'opaque'
    const said = await answer.text()
    return answer.ok ? (said.includes(secret) ? 'secret' : 'read') : `status ${answer.status}`
  }
  const shown = (document) => (document.body.innerText.includes(secret) ? 'secret' : 'empty')
  const looked = (document) => { try { return shown(document()) } catch { return 'refused' } }
  const element = (tag, set) => () => new Promise((done) => {
    const made = document.createElement(tag)
    made.onload = () => done('loaded')
    made.onerror = () => done('refused')
    set(made)
    document.body.append(made)
  })
  const asked = (path, more = {}) => () => fetch(`${target}${path}`, { credentials: 'include', ...more }).then(text)
  const posted = (type, body, more = {}) =>
    asked('/api/logout', { method: 'POST', headers: { 'Content-Type': type, ...more }, body })
  await attempt('get with cookies', asked('/api/conversations'))
  await attempt('get without asking', asked('/api/conversations', { mode: 'no-cors' }))
  await attempt('get of the shell', asked('/'))
  await attempt('get with the mark', asked('/api/status', { headers: { 'X-Chorus': '1' } }))
  await attempt('old request', () => new Promise((done) => {
    const old = new XMLHttpRequest()
    old.open('GET', `${target}/api/conversations`)
    old.withCredentials = true
    old.onload = () => done(old.responseText.includes(secret) ? 'secret' : `status ${old.status}`)
    old.onerror = () => done('refused')
    old.send()
  }))
  await attempt('post of text', posted('text/plain', 'x'))
  await attempt('post of a form', posted('application/x-www-form-urlencoded', 'x=1'))
  await attempt('post of JSON', posted('application/json', '{}'))
  await attempt('post with the mark', posted('application/json', '{}', { 'X-Chorus': '1' }))
  await attempt('post without asking', asked('/api/logout', { method: 'POST', mode: 'no-cors' }))
  await attempt('ticket', asked('/api/ticket', { method: 'POST', mode: 'no-cors' }))
  await attempt('beacon', async () => { navigator.sendBeacon(`${target}/api/logout`, 'x'); return 'sent' })
  await attempt('form', () => new Promise((done) => {
    const frame = document.createElement('iframe')
    frame.name = 'posted'
    const form = document.createElement('form')
    form.method = 'post'
    form.action = `${target}/api/logout`
    form.target = 'posted'
    document.body.append(frame, form)
    frame.onload = () => done(looked(() => frame.contentDocument))
    form.submit()
  }))
  await attempt('image', element('img', (made) => { made.src = `${target}/api/conversations` }))
  await attempt('script', element('script', (made) => { made.src = `${target}/api/conversations` }))
  const listed = `${target}/api/conversations`
  await attempt('module', element('script', (made) => { made.type = 'module'; made.src = listed }))
  await attempt('style', element('link', (made) => { made.rel = 'stylesheet'; made.href = listed }))
  await attempt('frame', () => new Promise((done) => {
    const frame = document.createElement('iframe')
    frame.onload = () => done(looked(() => frame.contentDocument))
    frame.src = `${target}/`
    document.body.append(frame)
  }))
  await attempt('socket', () => new Promise((done) => {
    const socket = new WebSocket(`${socketTarget}/api/live`)
    socket.onopen = () => done('open')
    socket.onerror = () => done('refused')
    socket.onclose = () => done('refused')
  }))
  await attempt('events', () => new Promise((done) => {
    const source = new EventSource(`${target}/api/live`, { withCredentials: true })
    source.onopen = () => { source.close(); done('open') }
    source.onerror = () => { source.close(); done('refused') }
  }))
  await attempt('window', () => new Promise((done) => {
    const opened = window.open(`${target}/`)
    setTimeout(() => { const said = looked(() => opened.document); opened?.close(); done(said) }, 800)
  }))
  return got
}"""
"""What a page of another origin can try: 21 ways to read, change or listen; what each came to, in a word."""

IN_A_SANDBOX = """({ drill, target, secret }) => new Promise((done) => {
  window.addEventListener('message', ({ data }) => done(data))
  const frame = document.createElement('iframe')
  frame.sandbox = 'allow-scripts allow-forms allow-popups'
  const asked = JSON.stringify({ target, secret })
  frame.srcdoc = `<body><script>(${drill})(${asked}).then((got) => parent.postMessage(got, '*'))</script>`
  document.body.append(frame)
})"""
"""The drill in a frame that a page has locked away: its origin is `null`."""
