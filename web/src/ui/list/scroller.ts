import { carriedOver, Keys, type Anchor } from "./anchor"
import { covers, heightBetween, rangeAround, rowAt, type Range } from "./reach"

/** So near to the end, who scrolls towards it means the end. */
const NEAR_PX = 48
const BEYOND_PX = 1200
/** A view is taken to move for so long after it did. */
const MOVING_MS = 150
/** What grows so soon after something in it was used, grew by that. */
const USED_MS = 500
const EXACT_PX = 0.5

export interface Settings {
  /** The height of a row that was never drawn. */
  estimate: number
  /** An end that the view stays at once the reader is there. */
  sticksTo: "start" | "end" | null
  /** The row that stays on top while others of its section are seen; -1 for none. */
  headingOf: (index: number) => number
}

/** The elements a list is made of. */
export interface Parts {
  box: HTMLElement
  rows: HTMLElement
  /** Stand for the rows that are not drawn: before a heading that stays, above and below the drawn ones. */
  before: HTMLElement
  above: HTMLElement
  below: HTMLElement
}

/**
 * Where a list stands, and which of its rows are drawn for that. There is one rule: the anchor stays where it is.
 * Only the reader's own scrolling and `show` change it; whatever else happens (rows that come, go, grow or are measured
 * for the first time), the view is put back to it before anything is painted.
 */
export class Scroller {
  /** Asks for another drawing: before this call ends, or when React comes to it. */
  onRedraw: (isAtOnce: boolean) => void = () => undefined
  /** Told when what is seen may have changed. */
  onSeen: () => void = () => undefined

  #anchor: Anchor
  #keys = new Keys([])
  #drawn: Range = { start: 0, end: 0 }
  #parts: Parts | null = null
  #settings: Settings
  readonly #heights = new Map<string, number>()
  /** How the view was left; when it is elsewhere, the reader moved it. */
  #placed = { top: 0, height: 0 }
  #movedAt = Number.NEGATIVE_INFINITY
  #rest = 0
  #used: { element: Element; y: number; at: number } | null = null
  readonly #watched = new WeakSet<Element>()
  readonly #sizes = new ResizeObserver(() => {
    // What is drawn while sizes are told would be told in turn: that waits for the next frame.
    this.settle(() => requestAnimationFrame(() => this.onRedraw(true)))
  })

  constructor(anchor: Anchor, settings: Settings) {
    this.#anchor = anchor
    this.#settings = settings
  }

  get anchor(): Anchor {
    return this.#anchor
  }

  get drawn(): Range {
    return this.#drawn
  }

  /** How many pixels of the list are below what is seen. */
  get left(): number {
    const box = this.#parts?.box
    return box === undefined ? 0 : box.scrollHeight - box.clientHeight - box.scrollTop
  }

  configure(settings: Settings): void {
    this.#settings = settings
  }

  /** The rows to draw when these are all there are. */
  rangeFor(keys: readonly string[]): Range {
    if (keys === this.#keys.list && covers(this.#drawn, this.#wanted(BEYOND_PX / 2))) return this.#drawn
    return this.#wanted(BEYOND_PX, keys === this.#keys.list ? this.#keys : new Keys(keys))
  }

  attach(parts: Parts): () => void {
    this.#parts = parts
    const { box } = parts
    this.#sizes.observe(box)
    box.addEventListener("scroll", this.#scrolled, { passive: true })
    box.addEventListener("click", this.#wasUsed, { capture: true, passive: true })
    return () => {
      this.#parts = null
      this.#sizes.disconnect()
      box.removeEventListener("scroll", this.#scrolled)
      box.removeEventListener("click", this.#wasUsed, { capture: true })
      window.clearTimeout(this.#rest)
    }
  }

  /** These rows are drawn now. */
  drew(keys: readonly string[], range: Range): void {
    if (keys !== this.#keys.list) {
      this.#notice()
      const after = new Keys(keys)
      this.#anchor = carriedOver(this.#anchor, this.#keys, after, this.#heightOfKey)
      this.#keys = after
    }
    this.#drawn = range
    for (const row of rowsOf(this.#parts?.rows ?? null)) {
      if (this.#watched.has(row)) continue
      this.#watched.add(row)
      this.#sizes.observe(row)
    }
    this.settle()
  }

  /** Puts a row or an end into place. */
  show(anchor: Anchor): void {
    this.#anchor = anchor
    this.#used = null
    this.#movedAt = Number.NEGATIVE_INFINITY
    this.#leave()
    if (covers(this.#drawn, this.#wanted(0))) this.settle()
    else this.onRedraw(false)
  }

  /** Moves as little as it takes to see all of a row. */
  reveal(key: string): void {
    const index = this.#keys.indexOf(key)
    const box = this.#parts?.box
    if (index < 0 || box === undefined) return
    const heading = this.#settings.headingOf(index)
    const inset = heading < 0 ? 0 : this.#heightOf(heading)
    const row = this.#rowElement(key)
    if (row !== null) {
      const top = this.#topOf(row)
      if (top < inset) this.show({ key, y: inset })
      else if (top + row.offsetHeight > box.clientHeight) this.show({ key, y: 0, edge: "bottom" })
    } else if (index < this.#drawn.start) this.show({ key, y: inset })
    else this.show({ key, y: 0, edge: "bottom" })
  }

  /** Takes note of heights and puts the view back to its anchor; asks for another drawing if that takes more rows. */
  settle(redraw = () => this.onRedraw(false)): void {
    const parts = this.#parts
    if (parts === null || parts.box.clientHeight === 0) return
    this.#notice()
    // Before anything is measured: a list that is too short for a moment would lose its place.
    this.#fill(parts)
    const changed = this.#measure(parts.rows)
    if (changed.size > 0) this.#fill(parts)
    if (!this.#keepUsed(parts, changed)) this.#place(parts)
    this.#leave()
    if (!covers(this.#drawn, this.#wanted(BEYOND_PX / 2))) redraw()
    this.onSeen()
  }

  /** The view stands as it should: from here on, who moves it is the reader. */
  #leave(): void {
    const box = this.#parts?.box
    if (box !== undefined) this.#placed = { top: box.scrollTop, height: box.scrollHeight }
  }

  #wanted(beyond: number, keys = this.#keys): Range {
    const heightOf = (index: number) => this.#heightOfKey(keys.list[index] ?? "")
    const view = { height: this.#parts?.box.clientHeight || window.innerHeight, beyond }
    const count = keys.list.length
    const around = (index: number, y: number) => rangeAround(count, heightOf, index, y, view)
    const anchor = carriedOver(this.#anchor, this.#keys, keys, this.#heightOfKey)
    if (anchor === "start") return around(0, 0)
    if (anchor === "end") return around(count, view.height)
    const index = Math.max(0, keys.indexOf(anchor.key))
    return around(index, anchor.edge === "bottom" ? view.height - anchor.y - heightOf(index) : anchor.y)
  }

  /** Whether the reader moved the view since it was placed; if so, the anchor is what they see now. */
  #notice(): boolean {
    const box = this.#parts?.box
    if (box === undefined || Math.abs(box.scrollTop - this.#placed.top) < 1) return false
    const { left } = this
    const isUp = box.scrollTop < this.#placed.top
    // A list that became shorter takes its view along: nobody moved that.
    if (isUp && left < 1 && box.scrollHeight < this.#placed.height) return false
    this.#leave()
    this.#movedAt = performance.now()
    window.clearTimeout(this.#rest)
    this.#rest = window.setTimeout(() => this.settle(), MOVING_MS + 10)
    const { sticksTo } = this.#settings
    if (sticksTo === "end" && (left <= 2 || (!isUp && left <= NEAR_PX))) this.#anchor = "end"
    else if (sticksTo === "start" && box.scrollTop <= 2) this.#anchor = "start"
    else this.#anchor = this.#seen()
    return true
  }

  readonly #scrolled = (): void => {
    if (!this.#notice()) return
    if (!covers(this.#drawn, this.#wanted(BEYOND_PX / 2))) this.onRedraw(true)
    this.onSeen()
  }

  /** What is used in a row, to open it or to close it, stays under the pointer. */
  readonly #wasUsed = (event: Event): void => {
    const element = event.target instanceof Element ? event.target.closest("button, summary, a") : null
    this.#used = element && { element, y: this.#topOf(element), at: performance.now() }
  }

  /** The first row on display, as an anchor. */
  #seen(): Anchor {
    const parts = this.#parts
    if (parts === null) return this.#anchor
    for (const row of rowsOf(parts.rows)) {
      // A heading may stay on top: where it stands says nothing.
      if (row.dataset["heading"] !== undefined) continue
      const y = this.#topOf(row)
      if (y + row.offsetHeight > 0 && y < parts.box.clientHeight) return { key: row.dataset["key"] ?? "", y }
    }
    const offset = -this.#topOf(parts.rows)
    const { index, top } = rowAt(this.#keys.list.length, this.#heightOf, offset)
    const key = this.#keys.list[index]
    return key === undefined ? "start" : { key, y: top - offset }
  }

  /** The rows whose height is another than it was. */
  #measure(rows: HTMLElement): ReadonlySet<string> {
    const changed = new Set<string>()
    for (const row of rowsOf(rows)) {
      const { key } = row.dataset
      const { height } = row.getBoundingClientRect()
      if (key === undefined || Math.abs((this.#heights.get(key) ?? -1) - height) < EXACT_PX) continue
      this.#heights.set(key, height)
      changed.add(key)
    }
    return changed
  }

  /** Gives the rows that are not drawn their room. */
  #fill({ before, above, below }: Parts): void {
    const { start, end } = this.#drawn
    const heading = this.#settings.headingOf(start)
    const isApart = heading >= 0 && heading < start
    before.style.height = `${isApart ? heightBetween(this.#heightOf, 0, heading) : 0}px`
    above.style.height = `${heightBetween(this.#heightOf, isApart ? heading + 1 : 0, start)}px`
    below.style.height = `${heightBetween(this.#heightOf, end, this.#keys.list.length)}px`
  }

  #place({ box, above }: Parts): void {
    if (this.#anchor === "start") box.scrollTop = 0
    if (this.#anchor === "end") box.scrollTop = box.scrollHeight
    if (typeof this.#anchor === "string") return
    const row = this.#rowElement(this.#anchor.key)
    if (row === null) return
    if (this.#anchor.edge === "bottom") {
      const height = this.#heights.get(this.#anchor.key) ?? 0
      this.#anchor = { key: this.#anchor.key, y: box.clientHeight - height - this.#anchor.y }
    }
    let off = this.#topOf(row) - this.#anchor.y
    if (Math.abs(off) < EXACT_PX) return
    const isMoving = performance.now() - this.#movedAt < MOVING_MS
    if (isMoving && this.#drawn.start > 0) {
      // To set a view that moves would stop it: the rows that are not drawn give way instead, until it rests.
      const room = above.getBoundingClientRect().height
      const taken = Math.min(room, off)
      above.style.height = `${room - taken}px`
      off -= taken
    }
    if (Math.abs(off) >= EXACT_PX) box.scrollTop += off
  }

  /** Whether something that was just used was put back to where it was. */
  #keepUsed({ box }: Parts, changed: ReadonlySet<string>): boolean {
    const used = this.#used
    if (used === null || performance.now() - used.at > USED_MS || !box.contains(used.element)) return false
    const row = used.element.closest<HTMLElement>("[data-key]")
    if (!changed.has(row?.dataset["key"] ?? "")) return false
    box.scrollTop += this.#topOf(used.element) - used.y
    if (!(this.#settings.sticksTo === "end" && this.left <= 2)) this.#anchor = this.#seen()
    return true
  }

  #topOf(element: Element): number {
    return element.getBoundingClientRect().top - (this.#parts?.box.getBoundingClientRect().top ?? 0)
  }

  #rowElement(key: string): HTMLElement | null {
    return this.#parts?.rows.querySelector(`:scope > [data-key="${CSS.escape(key)}"]`) ?? null
  }

  readonly #heightOf = (index: number): number => this.#heightOfKey(this.#keys.list[index] ?? "")
  readonly #heightOfKey = (key: string): number => this.#heights.get(key) ?? this.#settings.estimate
}

function rowsOf(rows: HTMLElement | null): Iterable<HTMLElement> {
  return rows?.querySelectorAll<HTMLElement>(":scope > [data-key]") ?? []
}
