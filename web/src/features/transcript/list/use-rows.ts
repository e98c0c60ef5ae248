import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react"
import { ProblemError, type RowsAsked } from "@/api/backend"
import { useBackend, useFollow } from "@/api/follow"
import type { Page, PageRow } from "@/api/schema"
import {
  cursorOf,
  EMPTY,
  extendedAfter,
  extendedBefore,
  keeping,
  opened,
  partial,
  replaced,
  reread,
  seenToEnd,
  withUpdate,
  type RowKey,
  type Target,
  type Window,
} from "./rows"

const PAGE = 200

export interface Thread {
  name: string
  thread: string
  branch: readonly string[]
  isInternal: boolean
}

/** The visible part of the list: the first visible row, and whether the reader sees the end. */
export interface Viewport {
  anchor: RowKey | null
  /** The id of that row, and its distance from the top of the list in pixels. */
  id: string | null
  y: number
  isAtEnd: boolean
}

/** An error, and how to try again. */
export interface Trouble {
  problem: ProblemError
  retry: () => void
}

export interface Rows {
  window: Window
  /** Whether another place is being loaded. */
  isOpening: boolean
  trouble: Trouble | null
  open(target: Target): Promise<void>
  loadBefore(): void
  loadAfter(): void
  /** Loads all of a row that was cut; later changes do not cut it again. */
  loadWhole(id: string): Promise<void>
  seeEnd(): void
}

/**
 * Loads the rows of a thread around the reader. `viewport` is called whenever something changes, and returns null while
 * there is no list. `onOther` receives the threads of rows that belong elsewhere, `onBranch` the continuations that had
 * to be chosen to show the requested place.
 */
export function useRows(
  of: Thread,
  viewport: () => Viewport | null,
  onOther: (thread: string) => void,
  onBranch: (branch: readonly string[]) => void,
): Rows {
  const backend = useBackend()
  const [window, setWindow] = useState<Window>(EMPTY)
  const [isOpening, setOpening] = useState(true)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const current = useRef(window)
  const asking = useRef<Asking>({ ...askingAnew(), isOpening: true })
  const { name, thread, isInternal } = of
  const branch = of.branch.join("\n")

  const put = useCallback((change: (before: Window) => Window): void => {
    current.current = change(current.current)
    setWindow(current.current)
  }, [])

  const whole = useRef(new Set<string>())
  const loadWhole = useCallback(
    async (id: string): Promise<void> => {
      const row = await backend.row(name, id)
      whole.current.add(row.row.id)
      put((before) => replaced(before, row))
    },
    [backend, name, put],
  )

  /** Applies a page; rows that were loaded as a whole stay whole, and are loaded again. */
  const putPage = useCallback(
    (page: Page, change: (before: Window) => Window): void => {
      put((before) => keeping(change(before), before, whole.current))
      for (const { row } of page.rows) if (whole.current.has(row.id)) void loadWhole(row.id).catch(() => undefined)
    },
    [put, loadWhole],
  )

  const ask = useCallback(
    (asked: RowsAsked, signal?: AbortSignal) =>
      backend.rows(
        name,
        { limit: PAGE, thread, internal: isInternal, branch: branch ? branch.split("\n") : [], ...asked },
        signal,
      ),
    [backend, name, thread, isInternal, branch],
  )

  /** Loads what is on display again, and once more if an update came in the meantime that the page does not contain. */
  const readAgain = useCallback(async (): Promise<void> => {
    const { place } = asking.current
    asking.current.isReading = true
    asking.current.hasFailed = false
    const seen = viewport()
    const [asked, target] = seen === null ? askedFor(current.current.target) : around(seen)
    try {
      const page = await ask(asked, place.signal)
      if (place.signal.aborted) return
      const news = asking.current.reread
      // Pages that are still loading belong to the old rows.
      place.abort()
      asking.current = askingAnew()
      putPage(page, (before) => reread(before, page, target, seen?.isAtEnd ?? true))
      setTrouble(null)
      if (news !== null && isOlder(current.current, news)) await readAgain()
    } catch (error) {
      if (place.signal.aborted) return
      asking.current.isReading = false
      asking.current.hasFailed = true
      setTrouble({ problem: problemOf(error), retry: () => void readAgain() })
    }
  }, [ask, putPage, viewport])

  const open = useCallback(
    async (target: Target): Promise<void> => {
      asking.current.place.abort()
      asking.current = { ...askingAnew(), isOpening: true, target }
      const { place } = asking.current
      setOpening(true)
      setTrouble(null)
      try {
        const page = await ask(askedFor(target)[0], place.signal)
        if (place.signal.aborted) return
        putPage(page, (before) => opened(before, page, target))
        asking.current.isOpening = false
        setOpening(false)
        if (page.branches.join("\n") !== branch) onBranch(page.branches)
        const news = asking.current.reread
        if (news !== null && isOlder(current.current, news)) await readAgain()
      } catch (error) {
        if (place.signal.aborted) return
        setTrouble({ problem: problemOf(error), retry: () => void open(target) })
        asking.current.isOpening = false
        asking.current.hasFailed = true
        setOpening(false)
      }
    },
    [ask, putPage, readAgain, branch, onBranch],
  )

  const extend = useCallback(
    async (end: "before" | "after"): Promise<void> => {
      const asked = asking.current
      const cursor = current.current[end]
      if (cursor === null || asked[end] || asked.place.signal.aborted) return
      asked[end] = true
      try {
        const page = await ask({ [end]: cursor }, asked.place.signal)
        if (asked.place.signal.aborted) return
        putPage(page, (before) => (end === "before" ? extendedBefore(before, page) : extendedAfter(before, page)))
        setTrouble(null)
      } catch (error) {
        if (!asked.place.signal.aborted) setTrouble({ problem: problemOf(error), retry: () => void extend(end) })
      } finally {
        asked[end] = false
      }
    },
    [ask, putPage],
  )

  const isShown = (row: PageRow): boolean =>
    row.thread === thread && (isInternal || row.row.type !== "notice" || !row.row.is_internal)

  const readUnlessKnown = (news: { epoch: string; seq: number }): void => {
    // A page that is still loading may contain this update: that is checked when it arrives.
    if (asking.current.isOpening || asking.current.isReading) asking.current.reread = news
    else if (isNothingRead(current.current)) void open(asking.current.target)
    else if (asking.current.hasFailed || isOlder(current.current, news)) void readAgain()
  }

  useFollow(name, (news) => {
    const isAtEnd = viewport()?.isAtEnd ?? true
    if (news.type === "reread") {
      readUnlessKnown(news)
      return
    }
    const rows = news.type === "partial" ? [news.row] : news.rows
    for (const other of new Set(rows.map((row) => row.thread))) if (other !== thread) onOther(other)
    // An update contains only the beginning of a long row: a reader who loaded all of it must not lose it.
    const own = rows.filter((row) => isShown(row) && !whole.current.has(row.row.id))
    for (const row of rows) if (whole.current.has(row.row.id)) void loadWhole(row.row.id).catch(() => undefined)
    if (news.type === "partial") {
      // An abandoned continuation does not grow: what is being written now is not on display.
      if (branch === "") put((before) => own.reduce((now, row) => partial(now, row, isAtEnd), before))
    } else if ((branch !== "" && own.length > 0) || asking.current.hasFailed) {
      // After a failed request, rows of earlier updates may be missing.
      readUnlessKnown(news)
    } else {
      put((before) => withUpdate(before, { epoch: news.epoch, seq: news.seq, rows: own, removed: news.removed }, isAtEnd))
    }
  })

  const again = useEffectEvent(() => {
    if (asking.current.isOpening) {
      void open(asking.current.target)
      return
    }
    // A page that is still loading belongs to the former selection of rows.
    asking.current.place.abort()
    asking.current = askingAnew()
    void readAgain()
  })
  const last = useRef<string | null>(null)
  useEffect(() => {
    // Only the internal rows of the same thread changed: the reader stays where they are, even without any rows.
    const key = `${name}\n${thread}\n${branch}`
    const isSameThread = last.current === key
    last.current = key
    if (isSameThread) again()
  }, [name, thread, branch, isInternal])

  return {
    window,
    isOpening,
    trouble,
    open,
    loadBefore: () => void extend("before"),
    loadAfter: () => void extend("after"),
    loadWhole,
    seeEnd: () => put(seenToEnd),
  }
}

/** The requests that are under way. */
interface Asking {
  before: boolean
  after: boolean
  isOpening: boolean
  /** Whether what is on display is being loaded again. */
  isReading: boolean
  /** Whether the last request for what is on display failed, and no other one began since. */
  hasFailed: boolean
  /** The place that is being opened. */
  target: Target
  /** A position in the feed that must be reached; it was reported while a page was loading. */
  reread: { epoch: string; seq: number } | null
  /** Aborted when the list moves to another place. */
  place: AbortController
}

function askingAnew(): Asking {
  return {
    before: false,
    after: false,
    isOpening: false,
    isReading: false,
    hasFailed: false,
    target: "end",
    reread: null,
    place: new AbortController(),
  }
}

/** Returns the request that loads the rows around a target. */
function askedFor(target: Target): [RowsAsked, Target] {
  if (target === "end") return [{}, target]
  if (target === "beginning") return [{ after: "" }, target]
  return ["around" in target ? { around: cursorOf(target.around) } : { at: target.id }, target]
}

/** The same for the visible rows. */
function around({ anchor, id, y, isAtEnd }: Viewport): [RowsAsked, Target] {
  if (isAtEnd || anchor === null || id === null) return [{}, "end"]
  return [{ around: cursorOf(anchor) }, { id, y }]
}

/** Whether no page was loaded yet. */
function isNothingRead(window: Window): boolean {
  return window.epoch === ""
}

function isOlder(window: Window, news: { epoch: string; seq: number }): boolean {
  return news.epoch !== window.epoch || news.seq > window.seq
}

function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  return new ProblemError({ kind: "internal", message: String(error), at: null })
}
