import { type RefObject, useEffect, useState } from "react"

/**
 * Since when elements have had the same position and size. A reader did not aim at something that just moved under the
 * pointer: a press counts only if its target had been still for a while. Times are those of events (`performance.now`).
 */
export class Stillness {
  #seen = ""
  #movedAt: number
  readonly #stillMs: number

  constructor(now: number, stillMs: number) {
    this.#movedAt = now
    this.#stillMs = stillMs
  }

  /** Records the current positions. */
  look(places: readonly Place[], now: number): void {
    const seen = places.map(({ x, y, width, height }) => [x, y, width, height].map(Math.round).join()).join(";")
    if (seen !== this.#seen) this.#movedAt = now
    this.#seen = seen
  }

  /** Resets all times: the reader looked elsewhere, so to them everything has just appeared. */
  startle(now: number): void {
    this.#movedAt = now
  }

  isStillAt(time: number): boolean {
    return time - this.#movedAt >= this.#stillMs
  }
}

type Place = Pick<DOMRect, "x" | "y" | "width" | "height">

export interface Still {
  isStill: boolean
  /** Checks once more, for an event at this time. */
  isStillAt(time: number): boolean
}

/** Whether these elements have been still for this long; updated with every frame. */
export function useStill(elements: readonly RefObject<Element | null>[], stillMs: number): Still {
  const [watch] = useState(() => {
    const stillness = new Stillness(performance.now(), stillMs)
    const look = () => stillness.look(elements.flatMap(({ current }) => current?.getBoundingClientRect() ?? []), performance.now())
    return { stillness, look }
  })
  const [isStill, setStill] = useState(false)

  useEffect(() => {
    const { stillness, look } = watch
    let frame = 0
    const next = () => {
      look()
      setStill(stillness.isStillAt(performance.now()))
      frame = requestAnimationFrame(next)
    }
    // The click that brings a window to the front must not decide anything in it.
    const startle = () => stillness.startle(performance.now())
    next()
    window.addEventListener("focus", startle)
    document.addEventListener("visibilitychange", startle)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener("focus", startle)
      document.removeEventListener("visibilitychange", startle)
    }
  }, [watch])

  return {
    isStill,
    isStillAt: (time) => {
      watch.look()
      return watch.stillness.isStillAt(time)
    },
  }
}
