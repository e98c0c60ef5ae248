import { heightBetween, type HeightOf, type Range } from "./reach"

/** The elements of a list, and their positions. */
export class Parts {
  readonly box: HTMLElement
  readonly rows: HTMLElement
  readonly #before: HTMLElement
  readonly #above: HTMLElement
  readonly #below: HTMLElement

  /**
   * `before`, `above` and `below` take the space of rows that are not rendered: those before a sticky heading, and the
   * rest.
   */
  constructor(box: HTMLElement, rows: HTMLElement, before: HTMLElement, above: HTMLElement, below: HTMLElement) {
    this.box = box
    this.rows = rows
    this.#before = before
    this.#above = above
    this.#below = below
  }

  /** The rendered rows, in order. */
  drawn(): NodeListOf<HTMLElement> {
    return this.rows.querySelectorAll<HTMLElement>(":scope > [data-key]")
  }

  row(key: string): HTMLElement | null {
    return this.rows.querySelector(`:scope > [data-key="${CSS.escape(key)}"]`)
  }

  /** Returns how far below the top of the view an element begins, in pixels. */
  topOf(element: Element): number {
    return element.getBoundingClientRect().top - this.box.getBoundingClientRect().top
  }

  /** How many pixels of the list are below the view. */
  left(): number {
    return this.box.scrollHeight - this.box.clientHeight - this.box.scrollTop
  }

  /** Sets the space for the rows that are not rendered; `heading` is the heading of the first rendered row, -1 for none. */
  fill(count: number, heightOf: HeightOf, { start, end }: Range, heading: number): void {
    const isApart = heading >= 0 && heading < start
    this.#before.style.height = `${isApart ? heightBetween(heightOf, 0, heading) : 0}px`
    this.#above.style.height = `${heightBetween(heightOf, isApart ? heading + 1 : 0, start)}px`
    this.#below.style.height = `${heightBetween(heightOf, end, count)}px`
  }

  /**
   * Moves the rendered rows up by this many pixels by shrinking the space above them; returns the rest that was not
   * possible.
   */
  giveWay(px: number): number {
    const room = this.#above.getBoundingClientRect().height
    const taken = Math.min(room, px)
    this.#above.style.height = `${room - taken}px`
    return px - taken
  }
}
