import { type Backend, ProblemError, type RowsAsked } from "./backend"
import type { ExportedFile, ExportedThread, Located, PageRow, ServerStatus } from "./schema"

/** The element of an exported file that contains its data. */
export const DATA_ID = "chorus-data"
const VERSION = 1
const PAGE = 50
const MAX_FOUND = 200
const PIECE = 64 << 10

/** Reads the data of an exported file: compressed JSON in an element that the browser does not run. */
export async function readExported(text: string): Promise<ExportedFile> {
  const { encoding, data }: { encoding: string; data: string } = JSON.parse(text)
  if (encoding !== "deflate-raw+base64") throw new Error(`This file has data in an unknown encoding: ${encoding}`)
  const packed = Uint8Array.from(atob(data), (char) => char.charCodeAt(0))
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))
  const file: ExportedFile = await new Response(plain).json()
  if (file.version !== VERSION) throw new Error(`This file has version ${file.version} of its format; this page reads ${VERSION}`)
  return file
}

/** A conversation in an exported file, as if a server had it. Nothing can be changed, and nothing ever changes. */
export function exportedBackend(file: ExportedFile): Backend {
  const threads = new Map(file.threads.map((thread) => [thread.id, thread]))
  const texts = new Map<PageRow, string>()

  const threadOf = (id: string): ExportedThread => threads.get(id) ?? absent("This thread is not in this file")
  const locate = (id: string): Located | null => {
    for (const { id: thread, rows } of file.threads) {
      const row = rows.find((each) => hasId(each, id))
      if (row !== undefined) return { id: row.row.id, key: row.key, thread }
    }
    return null
  }
  const textOf = (row: PageRow): string => {
    const known = texts.get(row) ?? searchable(row.row)
    texts.set(row, known)
    return known
  }

  return {
    ...CLOSED,
    status: () => Promise.resolve(statusOf(file)),
    conversation: () => Promise.resolve(file.detail),
    conversations: () =>
      Promise.resolve({ conversations: [file.detail.summary], has_more: false, is_partial: false, epoch: "file", seq: 0 }),
    outline: async (_, thread) => threadOf(thread).outline,
    rows: async (_, asked) => {
      const at = asked.at === undefined ? null : (locate(asked.at) ?? absent("This place is not in this file"))
      const thread = threadOf(at?.thread ?? asked.thread ?? "")
      const branches = at === null ? (asked.branch ?? []) : withWayTo(file, String(at.key[5]), asked.branch ?? [])
      const stretch = thread.stretches.find(({ call }) => call === asked.call)
      const within = stretch === undefined ? thread.rows : thread.rows.slice(stretch.first, stretch.last)
      const isHidden = hiding(file, branches)
      const rows = thread.id === "" ? within.filter(({ key }) => !isHidden(String(key[5]))) : within
      const [first, last] = bounds(rows, asked, at)
      return {
        rows: rows.slice(first, last),
        before: first > 0 ? cursor(rows[first]) : null,
        after: last < rows.length ? cursor(rows[last - 1]) : null,
        branches: [...branches],
        epoch: "file",
        seq: 0,
      }
    },
    row: async (_, id) => {
      for (const { rows } of file.threads) {
        const row = rows.find((each) => hasId(each, id))
        if (row !== undefined) return row
      }
      return absent("This row is not in this file")
    },
    locate: async (_, id) => locate(id) ?? absent("This place is not in this file"),
    find: async (_, { q, thread, start = 0 }) => {
      const words = wanted(q)
      const places = (thread === undefined ? file.threads : [threadOf(thread)]).flatMap(({ id, rows }) =>
        rows
          .filter((row) => words.length > 0 && words.every((word) => textOf(row).includes(word)))
          .map((row) => ({ id: row.row.id, key: row.key, thread: id })),
      )
      return { hits: places.slice(start, start + MAX_FOUND), has_more: places.length > start + MAX_FOUND, next: null }
    },
    sideFile: async (_, name, start) => {
      const text = Object.hasOwn(file.side_files, name) ? file.side_files[name] : undefined
      if (text === undefined) return absent("This output is not in this file")
      const end = Math.min(text.length, start + PIECE)
      return { text: text.slice(start, end), start, size_bytes: text.length, next: end < text.length ? end : null }
    },
    imageUrl: (_, { stream, at }, nth) => {
      const key = `${stream}:${at}:${nth}`
      return (Object.hasOwn(file.images, key) ? file.images[key] : undefined) ?? ""
    },
  }
}

function absent(message: string): never {
  throw new ProblemError({ kind: "not_found", message, at: null })
}

/** A file has no server: what would need one is refused. */
const refuse = () => Promise.reject(new ProblemError({ kind: "not_allowed", message: "A file cannot do this: it has no server", at: null }))

const CLOSED: Backend = {
  login: () => Promise.resolve(),
  logout: refuse,
  ticket: refuse,
  status: refuse,
  settings: refuse,
  conversations: refuse,
  facets: refuse,
  search: refuse,
  complete: () => Promise.resolve({ suggestions: [], problem: null }),
  conversation: refuse,
  annotate: refuse,
  leaving: refuse,
  forget: refuse,
  rows: refuse,
  row: refuse,
  outline: refuse,
  locate: refuse,
  find: refuse,
  compare: refuse,
  usage: refuse,
  files: refuse,
  fileDiff: refuse,
  fileBlame: refuse,
  blame: refuse,
  changes: refuse,
  editDiff: refuse,
  undoPreview: refuse,
  undo: refuse,
  replay: refuse,
  replayMoments: refuse,
  replayState: refuse,
  replayStep: refuse,
  record: refuse,
  sideFile: refuse,
  exportPreview: refuse,
  exportFile: refuse,
  approvals: () => Promise.resolve({ cards: [], pending: 0, trouble: null }),
  answer: refuse,
  approvers: refuse,
  enrol: refuse,
  changeApprovers: refuse,
  devices: refuse,
  offerPairing: refuse,
  answerPairing: refuse,
  renameDevice: refuse,
  revokeDevice: refuse,
  pair: refuse,
  finishPairing: refuse,
  notifications: refuse,
  changeNotifications: refuse,
  subscribeToPush: refuse,
  unsubscribeFromPush: refuse,
  tryNotification: refuse,
  board: refuse,
  rules: refuse,
  changeRules: refuse,
  testRule: refuse,
  ruleSuggestions: refuse,
  panePrompts: refuse,
  budgets: refuse,
  changeBudgets: refuse,
  testBudget: refuse,
  runs: refuse,
  places: refuse,
  startRun: refuse,
  resumeRun: refuse,
  sendToRun: refuse,
  interruptRun: refuse,
  goToPane: refuse,
  paneScreen: refuse,
  stopRun: refuse,
  restartRun: refuse,
  changeRun: refuse,
  imageUrl: () => "",
  recordUrl: () => "",
  sideFileUrl: () => "",
  fileVersionUrl: () => "",
  usageFileUrl: () => "",
}

function statusOf(file: ExportedFile): ServerStatus {
  return {
    version: file.made_with,
    vault: "",
    epoch: "file",
    seq: 0,
    conversations: 1,
    watched: [],
    at_risk: { sessions: 0, cleanup: "" },
    state: "watching",
    done_bytes: 0,
    total_bytes: 0,
    alarm: null,
    trouble: null,
    mended: [],
    lost: [],
  }
}

function hasId(row: PageRow, id: string): boolean {
  const { row: shown } = row
  return shown.id === id || [`note:${id}`, `turn:${id}`, `agent:${id}`].includes(shown.id) || Object.hasOwn(row.places, id)
}

/** Returns a test for rows that the chosen continuations hide; where none is chosen, the active one is shown. */
function hiding({ branches, links, belongs }: ExportedFile, chosen: readonly string[]): (item: string) => boolean {
  if (branches.length === 0) return () => false
  const picked = new Map<string, string>()
  for (const each of branches) if (each.is_active) picked.set(each.above, each.head)
  for (const wanted of chosen) for (const [above, head] of wayTo(links, picked, wanted)) picked.set(above, head)
  const continued = new Map<string, string[]>()
  for (const [message, above] of Object.entries(links)) {
    const heads = continued.get(above)
    if (heads === undefined) continued.set(above, [message])
    else heads.push(message)
  }
  const hidden = new Set<string>()
  const left = branches.filter(({ above, head }) => picked.get(above) !== head).map(({ head }) => head)
  for (let head = left.pop(); head !== undefined; head = left.pop()) {
    if (hidden.has(head)) continue
    hidden.add(head)
    left.push(...(continued.get(head) ?? []))
  }
  return (item) => hidden.has(own(belongs, item) ?? item)
}

/** Returns the continuations that must be chosen to see a message, the nearest first: where, and with which message. */
function wayTo(links: ExportedFile["links"], points: ReadonlyMap<string, string>, message: string): [string, string][] {
  const way: [string, string][] = []
  const seen = new Set<string>()
  let at: string | undefined = message
  while (at !== undefined && !seen.has(at)) {
    seen.add(at)
    const above = own(links, at)
    if (above !== undefined && points.has(above)) way.push([above, at])
    at = above
  }
  return way
}

/** Returns the chosen continuations, and those that lead to an item that would be hidden otherwise. */
function withWayTo(file: ExportedFile, item: string, chosen: readonly string[]): readonly string[] {
  if (!hiding(file, chosen)(item)) return chosen
  const points = new Map(file.branches.map(({ above, head }) => [above, head]))
  const way = wayTo(file.links, points, own(file.belongs, item) ?? item).map(([, head]) => head)
  return [...chosen, ...way.toReversed()]
}

function own(values: Record<string, string>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

type Key = PageRow["key"]

/** Returns the indexes of the first row of a page, and of the row after its last. */
function bounds(rows: readonly PageRow[], asked: RowsAsked, at: Located | null): [number, number] {
  const limit = asked.limit ?? PAGE
  if (at !== null) return around(rows, placeOf(rows, at.key), limit)
  if (asked.around !== undefined) return around(rows, placeOf(rows, keyOf(asked.around)), limit)
  if (asked.before !== undefined) {
    const end = placeOf(rows, keyOf(asked.before))
    return [Math.max(0, end - limit), end]
  }
  if (asked.after !== undefined) {
    const first = asked.after === "" ? 0 : placeAfter(rows, keyOf(asked.after))
    return [first, Math.min(rows.length, first + limit)]
  }
  return [Math.max(0, rows.length - limit), rows.length]
}

function around(rows: readonly PageRow[], place: number, limit: number): [number, number] {
  const first = Math.max(0, Math.min(place - Math.floor(limit / 2), rows.length - limit))
  return [first, Math.min(rows.length, first + limit)]
}

function placeOf(rows: readonly PageRow[], key: Key): number {
  const at = rows.findIndex((row) => compare(row.key, key) >= 0)
  return at < 0 ? rows.length : at
}

function placeAfter(rows: readonly PageRow[], key: Key): number {
  const at = rows.findIndex((row) => compare(row.key, key) > 0)
  return at < 0 ? rows.length : at
}

function compare(one: Key, other: Key): number {
  for (let index = 0; index < one.length; index += 1) {
    const [a, b] = [one[index] ?? "", other[index] ?? ""]
    if (a < b) return -1
    if (a > b) return 1
  }
  return 0
}

function cursor(row: PageRow | undefined): string | null {
  return row === undefined ? null : JSON.stringify(row.key)
}

function keyOf(text: string): Key {
  const key: Key = JSON.parse(text)
  return key
}

/** Returns the words and the quoted phrases of a search, in lower case. */
export function wanted(q: string): string[] {
  return [...q.toLowerCase().matchAll(/"([^"]+)"|([^\s"]+)/g)].map((found) => found[1] ?? found[2] ?? "").filter((word) => word !== "")
}

const NOT_TEXT = new Set(["id", "type", "time", "item", "icon", "state", "media_type", "language", "status", "level"])

/** Returns everything that a row shows, in lower case. */
function searchable(value: unknown): string {
  if (typeof value === "string") return `${value.toLowerCase()}\n`
  if (Array.isArray(value)) return value.map(searchable).join("")
  if (typeof value !== "object" || value === null) return ""
  return Object.entries(value).map(([name, inner]) => (NOT_TEXT.has(name) ? "" : searchable(inner))).join("")
}
