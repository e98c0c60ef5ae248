/**
 * The loaded rows of a thread: a window that grows at both ends by pages, applies live updates, and drops what is far
 * away. Pure: every function returns a new window.
 */

import type { Page, PageRow } from "@/api/schema"

export type RowKey = PageRow["key"]

/** A live update of rows, and the position in the feed that it leads to. */
export interface RowUpdate {
  /** The feed that the position belongs to. */
  epoch: string
  seq: number
  rows: readonly PageRow[]
  removed: readonly string[]
}

export interface Window {
  /** In order of their keys. */
  rows: readonly PageRow[]
  /** Cursors for the rows before and after; null at an end of the thread. */
  before: string | null
  after: string | null
  /** Rows that were added at the end while the reader was elsewhere. */
  fresh: ReadonlySet<string>
  /** The last updates: pages that were requested earlier do not contain them yet. */
  recent: readonly RowUpdate[]
  /** Changes when the window moves to another place: the list then starts again, at `target`. */
  place: number
  target: Target
  epoch: string
  /** The position in the feed that all rows have reached. */
  seq: number
}

/** Where a list starts: with a row this many pixels below its top, at one of its ends, or around a key. */
export type Target = { id: string; y: number } | { around: RowKey } | "beginning" | "end"

/** The maximum number of loaded rows; a page has 200. */
export const MOST = 1000
const RECENT = 200

export const EMPTY: Window = {
  rows: [],
  before: null,
  after: null,
  fresh: new Set(),
  recent: [],
  place: 0,
  target: "end",
  epoch: "",
  seq: 0,
}

/** Compares keys element by element. */
export function compareKeys(one: RowKey, other: RowKey): number {
  for (let index = 0; index < one.length; index += 1) {
    const [a, b] = [one[index] ?? "", other[index] ?? ""]
    if (a < b) return -1
    if (a > b) return 1
  }
  return 0
}

export function cursorOf(key: RowKey): string {
  return JSON.stringify(key)
}

/** Returns a window at another place of the thread. */
export function opened(window: Window, page: Page, target: Target): Window {
  const fresh: Window = {
    ...EMPTY,
    rows: page.rows,
    before: page.before,
    after: page.after,
    // Includes updates that came before the first page.
    recent: window.recent.filter((update) => update.epoch === page.epoch),
    place: window.place + 1,
    target,
    epoch: page.epoch,
    seq: page.seq,
  }
  return caughtUp(fresh, page.seq)
}

/**
 * Returns the window with the same place read again: the list stays, and rows after its former end are new unless the
 * reader `isAtEnd`.
 */
export function reread(window: Window, page: Page, target: Target, isAtEnd: boolean): Window {
  const next = { ...opened(window, page, target), place: window.place }
  if (isAtEnd) return next
  const last = window.after === null ? window.rows.at(-1) : undefined
  const isBeyond = (row: PageRow) => last !== undefined && compareKeys(row.key, last.key) > 0
  const fresh = next.rows.filter((row) => window.fresh.has(row.row.id) || isBeyond(row))
  return { ...next, fresh: new Set(fresh.map((row) => row.row.id)) }
}

/** Adds a page at the beginning, and drops rows that are too far from it. */
export function extendedBefore(window: Window, page: Page): Window {
  const known = new Set(window.rows.map((row) => row.row.id))
  const added = page.rows.filter((row) => !known.has(row.row.id))
  const all = [...added, ...window.rows]
  const rows = all.slice(0, MOST)
  const last = rows[rows.length - 1]
  const isCut = rows.length < all.length && last !== undefined
  return caughtUp(
    {
      ...window,
      rows,
      before: page.before,
      after: isCut ? cursorOf(last.key) : window.after,
    },
    page.seq,
  )
}

/** Adds a page at the end, and drops rows that are too far from it. */
export function extendedAfter(window: Window, page: Page): Window {
  const known = new Set(window.rows.map((row) => row.row.id))
  const all = [...window.rows, ...page.rows.filter((row) => !known.has(row.row.id))]
  const dropped = Math.max(0, all.length - MOST)
  const rows = all.slice(dropped)
  const head = rows[0]
  return caughtUp(
    {
      ...window,
      rows,
      before: dropped > 0 && head ? cursorOf(head.key) : window.before,
      after: page.after,
      fresh: page.after === null ? new Set() : window.fresh,
    },
    page.seq,
  )
}

/**
 * Returns `next`, but with the rows that the reader has loaded as a `whole`: pages contain only the beginning of long
 * rows.
 */
export function keeping(next: Window, before: Window, whole: ReadonlySet<string>): Window {
  if (whole.size === 0) return next
  const had = new Map(before.rows.filter((row) => whole.has(row.row.id)).map((row) => [row.row.id, row]))
  return { ...next, rows: next.rows.map((row) => had.get(row.row.id) ?? row) }
}

/** Applies the updates that happened after a page was read. */
function caughtUp(window: Window, seq: number): Window {
  return window.recent.filter((update) => update.seq > seq).reduce((now, update) => put(now, update, true), window)
}

/**
 * Applies a live update. Rows outside of the window are left out; rows at its end count as new unless the reader
 * `isAtEnd`.
 */
export function withUpdate(window: Window, update: RowUpdate, isAtEnd: boolean): Window {
  const recent = [...window.recent, update].slice(-RECENT)
  return { ...put(window, update, isAtEnd), recent, seq: Math.max(window.seq, update.seq) }
}

/** Shows a row that is still being written; it is not kept among the recent updates. */
export function partial(window: Window, row: PageRow, isAtEnd: boolean): Window {
  return put(window, { epoch: window.epoch, seq: window.seq, rows: [row], removed: [] }, isAtEnd)
}

/** Replaces the row that has the same id, if it is loaded. */
export function replaced(window: Window, row: PageRow): Window {
  return { ...window, rows: window.rows.map((old) => (old.row.id === row.row.id ? row : old)) }
}

/** Marks all rows as seen. */
export function seenToEnd(window: Window): Window {
  return window.fresh.size === 0 ? window : { ...window, fresh: new Set() }
}

function put(window: Window, update: RowUpdate, isAtEnd: boolean): Window {
  const rows = [...window.rows]
  const fresh = new Set(window.fresh)

  const take = (id: string): boolean => {
    const at = rows.findIndex((row) => row.row.id === id)
    if (at >= 0) rows.splice(at, 1)
    return at >= 0
  }

  for (const id of update.removed) {
    take(id)
    fresh.delete(id)
  }
  for (const row of update.rows) {
    const at = rows.findIndex((old) => old.row.id === row.row.id)
    const old = rows[at]
    if (old !== undefined && compareKeys(old.key, row.key) === 0) {
      rows[at] = row
      continue
    }
    const wasHere = take(row.row.id)
    const place = placeOf(rows, row.key)
    if (place === 0 && window.before !== null) continue
    if (place === rows.length && !isAtEnd && !wasHere) fresh.add(row.row.id)
    if (place === rows.length && window.after !== null) continue
    rows.splice(place, 0, row)
  }
  return { ...window, rows, fresh }
}

/** Returns the index at which a row with this key belongs. */
export function placeOf(rows: readonly PageRow[], key: RowKey): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const row = rows[middle]
    if (row !== undefined && compareKeys(row.key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the index of the row that has or contains this id: a call, a result or a part of it. */
export function indexOf(window: Window, id: string): number {
  const at = window.rows.findIndex((row) => row.row.id === id)
  return at >= 0 ? at : window.rows.findIndex((row) => Object.hasOwn(row.places, id))
}
