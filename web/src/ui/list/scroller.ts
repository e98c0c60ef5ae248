import { carriedOver, Keys, type Anchor } from "./anchor"
import { EXACT_PX, Heights } from "./heights"
import type { Parts } from "./parts"
import { covers, rangeAround, rowAt, type Range } from "./reach"
import { Used } from "./used"

/** A reader who scrolls to within this distance of the end wants to stay at the end. */
const NEAR_PX = 48
/** How far beyond the view rows are rendered; less at first, so that something appears soon. */
const BEYOND_PX = 1200
const BEYOND_FIRST_PX = 200
/** A view counts as moving for this long after it moved. */
const MOVING_MS = 150

export interface Settings {
  /** The estimated height of a row that was never rendered. */
  estimate: number
  /** The end that the view stays at once the reader is there. */
  sticksTo: "start" | "end" | null
  /** The heading that stays on top of a section; -1 for none. */
  headingOf: (index: number) => number
}

/**
 * The scroll position of a list, and the rows that are rendered for it. There is one rule: the anchor keeps its place.
 * Only scrolling by the reader and `show` change the anchor; whatever else happens (rows are added, removed, resized or
 * measured for the first time), the view returns to it before the next paint.
 */
export class Scroller {
  /** Requests another render: before this call ends, or when React schedules it. */
  onRedraw: (isAtOnce: boolean) => void = () => undefined
  /** Called when the visible rows may have changed. */
  onSeen: () => void = () => undefined

  #anchor: Anchor
  #keys = new Keys([])
  #drawn: Range = { start: 0, end: 0 }
  #beyond = BEYOND_FIRST_PX
  #parts: Parts | null = null
  #settings: Settings
  readonly #heights: Heights
  /** The position that was set last; if the view is elsewhere, the reader moved it. */
  #placed = { top: 0, height: 0 }
  #movedAt = Number.NEGATIVE_INFINITY
  #rest = 0
  readonly #used = new Used()
  #watched = new WeakSet<Element>()
  readonly #sizes = new ResizeObserver(() => {
    // Rendering during a resize callback would trigger the next one: it waits for the next frame.
    this.settle(() => requestAnimationFrame(() => this.onRedraw(true)))
  })

  constructor(anchor: Anchor, settings: Settings) {
    this.#anchor = anchor
    this.#settings = settings
    this.#heights = new Heights(settings.estimate)
  }

  get anchor(): Anchor {
    return this.#anchor
  }

  get drawn(): Range {
    return this.#drawn
  }

  /** How many pixels of the list are below the view. */
  get left(): number {
    return this.#parts?.left() ?? 0
  }

  configure(settings: Settings): void {
    this.#settings = settings
    this.#heights.estimate = settings.estimate
  }

  /** Returns the rows to render if these are all rows. */
  rangeFor(keys: readonly string[]): Range {
    if (keys === this.#keys.list && covers(this.#drawn, this.#wanted(this.#beyond / 2))) return this.#drawn
    return this.#wanted(this.#beyond, keys === this.#keys.list ? this.#keys : new Keys(keys))
  }

  attach(parts: Parts): () => void {
    this.#parts = parts
    this.#watched = new WeakSet()
    const { box } = parts
    this.#sizes.observe(box)
    box.addEventListener("scroll", this.#scrolled, { passive: true })
    const painted = requestAnimationFrame(() => {
      this.#rest = window.setTimeout(this.#rested)
    })
    box.addEventListener("click", this.#wasUsed, { capture: true, passive: true })
    return () => {
      this.#parts = null
      this.#sizes.disconnect()
      cancelAnimationFrame(painted)
      box.removeEventListener("scroll", this.#scrolled)
      box.removeEventListener("click", this.#wasUsed, { capture: true })
      window.clearTimeout(this.#rest)
    }
  }

  /** Records that these rows are rendered now. */
  drew(keys: readonly string[], range: Range): void {
    if (keys !== this.#keys.list) {
      this.#notice()
      const after = new Keys(keys)
      this.#anchor = carriedOver(this.#anchor, this.#keys, after, this.#heights.of)
      this.#keys = after
    }
    this.#drawn = range
    for (const row of this.#parts?.drawn() ?? []) {
      if (this.#watched.has(row)) continue
      this.#watched.add(row)
      this.#sizes.observe(row)
    }
    this.settle()
  }

  /** Scrolls to a row or an end. */
  show(anchor: Anchor): void {
    this.#anchor = anchor
    this.#used.forget()
    this.#movedAt = Number.NEGATIVE_INFINITY
    this.#leave()
    if (covers(this.#drawn, this.#wanted(0))) this.settle()
    else this.onRedraw(false)
  }

  /** Scrolls as little as possible to show all of a row. */
  reveal(key: string): void {
    const index = this.#keys.indexOf(key)
    const parts = this.#parts
    if (index < 0 || parts === null) return
    const heading = this.#settings.headingOf(index)
    const inset = heading < 0 ? 0 : this.#heightOf(heading)
    const row = parts.row(key)
    if (row !== null) {
      const top = parts.topOf(row)
      if (top < inset) this.show({ key, y: inset })
      else if (top + row.offsetHeight > parts.box.clientHeight) this.show({ key, y: 0, edge: "bottom" })
    } else if (index < this.#drawn.start) this.show({ key, y: inset })
    else this.show({ key, y: 0, edge: "bottom" })
  }

  /** Measures heights and restores the anchor; requests another render if more rows are needed. */
  settle(redraw = () => this.onRedraw(false)): void {
    const parts = this.#parts
    if (parts === null || parts.box.clientHeight === 0) return
    this.#notice()
    // Before anything is measured: a list that is too short for a moment would lose its position.
    this.#fill(parts)
    const changed = this.#heights.measure(parts.drawn())
    if (changed.size > 0) this.#fill(parts)
    if (!this.#keepUsed(parts, changed)) this.#place(parts)
    this.#leave()
    if (!covers(this.#drawn, this.#wanted(this.#beyond / 2))) redraw()
    this.onSeen()
  }

  /** The position is correct: from here on, a different one means that the reader moved the view. */
  #leave(): void {
    const box = this.#parts?.box
    if (box !== undefined) this.#placed = { top: box.scrollTop, height: box.scrollHeight }
  }

  #wanted(beyond: number, keys = this.#keys): Range {
    const heightOf = (index: number) => this.#heights.of(keys.list[index] ?? "")
    const view = { height: this.#parts?.box.clientHeight || window.innerHeight, beyond }
    const count = keys.list.length
    const around = (index: number, y: number) => rangeAround(count, heightOf, index, y, view)
    const anchor = carriedOver(this.#anchor, this.#keys, keys, this.#heights.of)
    if (anchor === "start") return around(0, 0)
    if (anchor === "end") return around(count, view.height)
    const index = Math.max(0, keys.indexOf(anchor.key))
    return around(index, anchor.edge === "bottom" ? view.height - anchor.y - heightOf(index) : anchor.y)
  }

  /** Whether the reader moved the view since it was placed; if so, the anchor becomes the first visible row. */
  #notice(): boolean {
    const box = this.#parts?.box
    if (box === undefined || Math.abs(box.scrollTop - this.#placed.top) < 1) return false
    const { left } = this
    const isUp = box.scrollTop < this.#placed.top
    // A list that became shorter moves its view: that was not the reader.
    if (isUp && left < 1 && box.scrollHeight < this.#placed.height) return false
    this.#leave()
    this.#movedAt = performance.now()
    window.clearTimeout(this.#rest)
    this.#rest = window.setTimeout(this.#rested, MOVING_MS + 10)
    const { sticksTo } = this.#settings
    if (sticksTo === "end" && (left <= 2 || (!isUp && left <= NEAR_PX))) this.#anchor = "end"
    else if (sticksTo === "start" && box.scrollTop <= 2) this.#anchor = "start"
    else this.#anchor = this.#seen()
    return true
  }

  /** The view does not move: there is time to render all rows around it. */
  readonly #rested = (): void => {
    this.#beyond = BEYOND_PX
    this.settle()
  }

  readonly #scrolled = (): void => {
    if (!this.#notice()) return
    if (!covers(this.#drawn, this.#wanted(this.#beyond / 2))) this.onRedraw(true)
    this.onSeen()
  }

  readonly #wasUsed = (event: Event): void => {
    if (this.#parts !== null) this.#used.take(event, this.#parts)
  }

  /** Returns the first visible row as an anchor. */
  #seen(): Anchor {
    const parts = this.#parts
    if (parts === null) return this.#anchor
    for (const row of parts.drawn()) {
      // A sticky heading stays on top: its position says nothing.
      if (row.dataset["heading"] !== undefined) continue
      const y = parts.topOf(row)
      if (y + row.offsetHeight > 0 && y < parts.box.clientHeight) return { key: row.dataset["key"] ?? "", y }
    }
    const offset = -parts.topOf(parts.rows)
    const { index, top } = rowAt(this.#keys.list.length, this.#heightOf, offset)
    const key = this.#keys.list[index]
    return key === undefined ? "start" : { key, y: top - offset }
  }

  /** Sets the space for the rows that are not rendered. */
  #fill(parts: Parts): void {
    parts.fill(this.#keys.list.length, this.#heightOf, this.#drawn, this.#settings.headingOf(this.#drawn.start))
  }

  #place(parts: Parts): void {
    const { box } = parts
    if (this.#anchor === "start") box.scrollTop = 0
    if (this.#anchor === "end") box.scrollTop = box.scrollHeight
    if (typeof this.#anchor === "string") return
    const { key, edge } = this.#anchor
    const row = parts.row(key)
    if (row === null) return
    if (edge === "bottom") this.#anchor = { key, y: box.clientHeight - this.#heights.of(key) - this.#anchor.y }
    let off = parts.topOf(row) - this.#anchor.y
    if (Math.abs(off) < EXACT_PX) return
    // Setting the position would stop a moving view: until it rests, the space of rows that are not rendered changes
    // instead.
    const isMoving = performance.now() - this.#movedAt < MOVING_MS
    if (isMoving && this.#drawn.start > 0) off = parts.giveWay(off)
    if (Math.abs(off) >= EXACT_PX) box.scrollTop += off
  }

  /** Whether an element that was just used was returned to its place. */
  #keepUsed(parts: Parts, changed: ReadonlySet<string>): boolean {
    const px = this.#used.movedBy(changed, parts)
    if (px === null) return false
    parts.box.scrollTop += px
    if (!(this.#settings.sticksTo === "end" && parts.left() <= 2)) this.#anchor = this.#seen()
    return true
  }

  readonly #heightOf = (index: number): number => this.#heights.of(this.#keys.list[index] ?? "")
}
