import { type Backend, ProblemError, UNREACHABLE } from "./backend"
import type { Problem } from "./schema"

type Value = string | number | boolean | readonly string[] | undefined

/** Returns a query string of the values that are set; lists repeat their name, `true` is 1 and `false` is left out. */
export function queryOf(values: Record<string, Value>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === false) continue
    if (value === true) query.append(name, "1")
    else if (typeof value === "string" || typeof value === "number") query.append(name, String(value))
    else for (const each of value) query.append(name, each)
  }
  const text = query.toString()
  return text === "" ? "" : `?${text}`
}

/** Returns the address of a resource of a conversation. Each part of the name is untrusted and stays one segment. */
export function conversationUrl(name: string, what = "", values: Record<string, Value> = {}): string {
  const segments = name.split("/").map(encodeURIComponent).join("/")
  return `/api/conversations/${segments}${what === "" ? "" : `/${what}`}${queryOf(values)}`
}

function runUrl(id: string, what: string): string {
  return `/api/runs/${encodeURIComponent(id)}/${what}`
}

/** The server at the origin of this page. */
export const http: Backend = {
  login: (token) => post("/api/login", { token }),
  logout: () => post("/api/logout"),
  ticket: () => send("/api/ticket", posted(null)),

  status: (signal) => send("/api/status", { signal }),
  settings: (signal) => send("/api/settings", { signal }),
  conversations: ({ q, start, limit, order, isRising }, signal) =>
    send(`/api/conversations${queryOf({ q, start, limit, order, rising: isRising })}`, { signal }),
  facets: (q, signal) => send(`/api/facets${queryOf({ q })}`, { signal }),
  search: ({ q, below, isRanked, limit }, signal) =>
    send(`/api/search${queryOf({ q, below, rank: isRanked, limit })}`, { signal }),
  usage: ({ q, by, since }, signal) => send(`/api/usage${queryOf({ q, by, since })}`, { signal }),
  complete: (q, at, signal) => send(`/api/complete${queryOf({ q, at })}`, { signal }),

  conversation: (name, signal) => send(conversationUrl(name), { signal }),
  annotate: (name, asked) => post(conversationUrl(name, "annotation"), asked),
  leaving: (name, signal) => send(conversationUrl(name, "leaving"), { signal }),
  forget: (name, lines) => post(conversationUrl(name, "forget"), { lines }),
  rows: (name, asked, signal) => send(conversationUrl(name, "rows", { ...asked }), { signal }),
  row: (name, id, signal) => send(conversationUrl(name, "row", { id, whole: true }), { signal }),
  outline: (name, thread, signal) => send(conversationUrl(name, "outline", { thread }), { signal }),
  locate: (name, id, signal) => send(conversationUrl(name, "locate", { id }), { signal }),
  find: (name, asked, signal) => send(conversationUrl(name, "find", { ...asked }), { signal }),
  compare: (a, b, start, limit, signal) => send(`/api/compare${queryOf({ a, b, start, limit })}`, { signal }),
  record: (name, { stream, at }, signal) => send(conversationUrl(name, "record", { stream, at }), { signal }),
  sideFile: (name, file, start, signal) => send(conversationUrl(name, "side-file", { name: file, start }), { signal }),

  files: (name, scope, signal) => send(conversationUrl(name, "files", { together: scope === "workspace" }), { signal }),
  fileDiff: (name, { path, before, after, ignoresSpace, scope }, signal) =>
    send(
      conversationUrl(name, "files/diff", { path, before, after, ignore_space: ignoresSpace, together: scope === "workspace" }),
      { signal },
    ),
  fileBlame: (name, { path, version, scope }, signal) =>
    send(conversationUrl(name, "files/blame", { path, version, together: scope === "workspace" }), { signal }),
  blame: (workspace, file, rev, signal) => send(`/api/workspaces/${encodeURIComponent(workspace)}/blame${queryOf({ file, rev })}`, { signal }),
  changes: (name, signal) => send(conversationUrl(name, "changes"), { signal }),
  editDiff: (name, commit, file, signal) => send(conversationUrl(name, "changes/diff", { commit, file }), { signal }),
  undoPreview: (name, asked, signal) => send(conversationUrl(name, "changes/undo/preview"), { ...posted(asked), signal }),
  undo: (name, confirmed) => send(conversationUrl(name, "changes/undo"), posted(confirmed)),
  replay: (name, signal) => send(conversationUrl(name, "replay"), { signal }),
  replayMoments: (name, first, signal) => send(conversationUrl(name, "replay/moments", { first }), { signal }),
  replayState: (name, at, signal) => send(conversationUrl(name, "replay/state", { at }), { signal }),
  replayStep: (name, at, to, isBack, signal) => send(conversationUrl(name, "replay/step", { at, to, back: isBack }), { signal }),

  exportPreview: (name, asked, signal) => send(conversationUrl(name, "export/preview"), { ...posted(asked), signal }),
  exportFile: async (name, asked, signal) => (await reach(conversationUrl(name, "export"), { ...posted(asked), signal })).blob(),

  approvals: (settled, signal) => send(`/api/approvals${queryOf({ settled })}`, { signal }),
  answer: (id, answer) => send(`/api/approvals/${encodeURIComponent(id)}`, posted(answer)),
  approvers: (signal) => send("/api/approvers", { signal }),
  enrol: (asked) => send("/api/approvers", posted(asked)),
  changeApprovers: (change) => send("/api/approvers/changes", posted(change)),
  devices: (signal) => send("/api/devices", { signal }),
  offerPairing: (scope) => send("/api/devices/pairing", posted({ scope })),
  answerPairing: (code, isConfirmed) => send("/api/devices/pairing/answer", posted({ code, is_confirmed: isConfirmed })),
  renameDevice: (id, name) => send(`/api/devices/${encodeURIComponent(id)}/rename`, posted({ name })),
  revokeDevice: (id) => send(`/api/devices/${encodeURIComponent(id)}/revoke`, posted(null)),
  pair: (claim) => send("/api/pair", posted(claim)),
  finishPairing: (claim) => send("/api/pair/finish", posted({ claim })),

  rules: (signal) => send("/api/rules", { signal }),
  changeRules: (change) => send("/api/rules", posted(change)),
  testRule: (text, signal) => send("/api/rules/test", { ...posted({ text }), signal }),
  ruleSuggestions: (signal) => send("/api/rules/suggestions", { signal }),
  panePrompts: (signal) => send("/api/panes", { signal }),
  budgets: (signal) => send("/api/budgets", { signal }),
  changeBudgets: (change) => send("/api/budgets", posted(change)),
  testBudget: (text, signal) => send("/api/budgets/test", { ...posted({ text }), signal }),

  notifications: (signal) => send("/api/notifications", { signal }),
  changeNotifications: (rules) => post("/api/notifications", rules),
  subscribeToPush: (subscription) => post("/api/notifications/subscription", subscription),
  unsubscribeFromPush: () => post("/api/notifications/unsubscribed"),
  tryNotification: () => post("/api/notifications/trial"),

  board: (signal) => send("/api/board", { signal }),

  runs: (signal) => send("/api/runs", { signal }),
  places: (signal) => send("/api/places", { signal }),
  startRun: (asked) => send("/api/runs", posted(asked)),
  resumeRun: (asked) => send("/api/runs/resumed", posted(asked)),
  sendToRun: (id, message) => post(runUrl(id, "messages"), message),
  interruptRun: (id) => post(runUrl(id, "interrupt")),
  stopRun: (id) => post(runUrl(id, "stop")),
  restartRun: (id, message) => send(runUrl(id, "restart"), posted(message)),
  changeRun: (id, change) => post(runUrl(id, "settings"), change),
  paneScreen: (session, signal) => send(`/api/panes/${encodeURIComponent(session)}/screen`, { signal }),
  goToPane: (session) => send(`/api/panes/${encodeURIComponent(session)}/go`, posted(null)),

  imageUrl: (name, { stream, at }, nth) => conversationUrl(name, "image", { stream, at, nth }),
  recordUrl: (name, { stream, at }) => conversationUrl(name, "record", { stream, at, download: true }),
  sideFileUrl: (name, file) => conversationUrl(name, "side-file", { name: file, download: true }),
  fileVersionUrl: (name, { path, version, scope }) =>
    conversationUrl(name, "files/content", { path, version, together: scope === "workspace" }),
  usageFileUrl: ({ q, since }, by) => `/api/usage/file${queryOf({ q, by, since })}`,
}

/** Called with the time of the server, in milliseconds since the epoch, whenever it answers. */
let clockHeard: (ms: number) => void = () => {}

export function onServerClock(heard: (ms: number) => void): void {
  clockHeard = heard
}

/** Returns the JSON of a response, with the type that the route is known to return. */
async function send<T>(url: string, init: RequestInit): Promise<T> {
  const response = await reach(url, init)
  return response.json()
}

async function post(url: string, body: unknown = null): Promise<void> {
  await reach(url, posted(body))
}

function posted(body: unknown): RequestInit {
  const headers = { "X-Chorus": "1", "Content-Type": "application/json" }
  return { method: "POST", headers, body: body === null ? null : JSON.stringify(body) }
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, { credentials: "same-origin", redirect: "error", ...init })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ProblemError(UNREACHABLE)
  }
  const at = Date.parse(response.headers.get("date") ?? "")
  if (!Number.isNaN(at)) clockHeard(at)
  if (response.ok) return response
  throw new ProblemError(await problemOf(response))
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const problem: Problem = await response.json()
    if (typeof problem.kind === "string" && typeof problem.message === "string") return problem
  } catch {
    // Not an error of Chorus: a proxy between page and server sent it.
  }
  return {
    kind: response.status === 401 ? "not_logged_in" : "internal",
    message: `The server answered ${response.status} ${response.statusText}`.trimEnd(),
    at: null,
  }
}
