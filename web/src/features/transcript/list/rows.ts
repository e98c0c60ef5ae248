/**
 * The rows of a thread that are on display or near: a window that grows at both ends by pages, takes what is told live,
 * and forgets what is far away. Pure: every function gives a new window.
 */

import type { Page, PageRow } from "@/api/schema"

export type RowKey = PageRow["key"]

/** Rows told live, and up to which place of the feed they bring the conversation. */
export interface RowUpdate {
  /** The feed that the place is in. */
  epoch: string
  seq: number
  rows: readonly PageRow[]
  removed: readonly string[]
}

export interface Window {
  /** In order of their keys. */
  rows: readonly PageRow[]
  /** Cursors for what comes before and after; null where nothing does. */
  before: string | null
  after: string | null
  /** Rows that came at the end while the reader was elsewhere. */
  fresh: ReadonlySet<string>
  /** What was told lately: pages asked for earlier do not have it yet. */
  recent: readonly RowUpdate[]
  /** Changes when the window shows another place: the list then starts anew, at `target`. */
  place: number
  target: Target
  epoch: string
  /** The place of the feed that all rows are at, or later. */
  seq: number
}

/** Where a list starts: with a row so many pixels below its top, or at one of its ends. */
export type Target = { id: string; y: number } | "beginning" | "end"

/** Rows kept at most; a page is 200. */
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

/** Keys compare element by element. */
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

/** Another place of the thread. */
export function opened(window: Window, page: Page, target: Target): Window {
  const fresh: Window = {
    ...EMPTY,
    rows: page.rows,
    before: page.before,
    after: page.after,
    // Also what was told before the first page came.
    recent: window.recent.filter((update) => update.epoch === page.epoch),
    place: window.place + 1,
    target,
    epoch: page.epoch,
    seq: page.seq,
  }
  return caughtUp(fresh, page.seq)
}

/** The same place read again: the list stays, and rows beyond what was its end are new unless the reader `isAtEnd`. */
export function reread(window: Window, page: Page, target: Target, isAtEnd: boolean): Window {
  const next = { ...opened(window, page, target), place: window.place }
  if (isAtEnd) return next
  const last = window.after === null ? window.rows.at(-1) : undefined
  const isBeyond = (row: PageRow) => last !== undefined && compareKeys(row.key, last.key) > 0
  const fresh = next.rows.filter((row) => window.fresh.has(row.row.id) || isBeyond(row))
  return { ...next, fresh: new Set(fresh.map((row) => row.row.id)) }
}

/** A page more at the beginning. What is too far from it goes. */
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

/** A page more at the end. What is too far from it goes. */
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

/** What a page brought, but for rows that the reader has `whole`: in pages long ones are cut. */
export function keeping(next: Window, before: Window, whole: ReadonlySet<string>): Window {
  if (whole.size === 0) return next
  const had = new Map(before.rows.filter((row) => whole.has(row.row.id)).map((row) => [row.row.id, row]))
  return { ...next, rows: next.rows.map((row) => had.get(row.row.id) ?? row) }
}

/** What a page cannot have, because it happened after the page was read. */
function caughtUp(window: Window, seq: number): Window {
  return window.recent.filter((update) => update.seq > seq).reduce((now, update) => put(now, update, true), window)
}

/**
 * What was told live. Rows outside of the window are left out; those at its end count as new unless the reader
 * `isAtEnd`.
 */
export function withUpdate(window: Window, update: RowUpdate, isAtEnd: boolean): Window {
  const recent = [...window.recent, update].slice(-RECENT)
  return { ...put(window, update, isAtEnd), recent, seq: Math.max(window.seq, update.seq) }
}

/** A row that is being written: shown, not kept. */
export function partial(window: Window, row: PageRow, isAtEnd: boolean): Window {
  return put(window, { epoch: window.epoch, seq: window.seq, rows: [row], removed: [] }, isAtEnd)
}

/** A row in place of the one that has its id, if that is here. */
export function replaced(window: Window, row: PageRow): Window {
  return { ...window, rows: window.rows.map((old) => (old.row.id === row.row.id ? row : old)) }
}

/** The reader saw the end. */
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

/** Where a row of this key belongs. */
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

/** The row that has this id, or holds it: a call, a result or a part of it. */
export function indexOf(window: Window, id: string): number {
  const at = window.rows.findIndex((row) => row.row.id === id)
  return at >= 0 ? at : window.rows.findIndex((row) => Object.hasOwn(row.places, id))
}
