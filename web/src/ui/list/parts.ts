import { heightBetween, type HeightOf, type Range } from "./reach"

/** The elements a list is made of, and where they stand. */
export class Parts {
  readonly box: HTMLElement
  readonly rows: HTMLElement
  readonly #before: HTMLElement
  readonly #above: HTMLElement
  readonly #below: HTMLElement

  /** `before`, `above` and `below` stand for rows that are not drawn: those before a heading that stays, and the rest. */
  constructor(box: HTMLElement, rows: HTMLElement, before: HTMLElement, above: HTMLElement, below: HTMLElement) {
    this.box = box
    this.rows = rows
    this.#before = before
    this.#above = above
    this.#below = below
  }

  /** The rows that are drawn, in order. */
  drawn(): NodeListOf<HTMLElement> {
    return this.rows.querySelectorAll<HTMLElement>(":scope > [data-key]")
  }

  row(key: string): HTMLElement | null {
    return this.rows.querySelector(`:scope > [data-key="${CSS.escape(key)}"]`)
  }

  /** How far below the upper edge of the view an element begins, in pixels. */
  topOf(element: Element): number {
    return element.getBoundingClientRect().top - this.box.getBoundingClientRect().top
  }

  /** How many pixels of the list are below what is seen. */
  left(): number {
    return this.box.scrollHeight - this.box.clientHeight - this.box.scrollTop
  }

  /** Gives the rows that are not drawn their room; `heading` is that of the first drawn row, -1 for none. */
  fill(count: number, heightOf: HeightOf, { start, end }: Range, heading: number): void {
    const isApart = heading >= 0 && heading < start
    this.#before.style.height = `${isApart ? heightBetween(heightOf, 0, heading) : 0}px`
    this.#above.style.height = `${heightBetween(heightOf, isApart ? heading + 1 : 0, start)}px`
    this.#below.style.height = `${heightBetween(heightOf, end, count)}px`
  }

  /** Moves the drawn rows up by so many pixels, at the cost of the room above them; gives what it could not. */
  giveWay(px: number): number {
    const room = this.#above.getBoundingClientRect().height
    const taken = Math.min(room, px)
    this.#above.style.height = `${room - taken}px`
    return px - taken
  }
}
