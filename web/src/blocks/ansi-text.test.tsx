/** Security table, row B6: five thousand texts that a command may print, read and drawn. */

import { cleanup, render } from "@testing-library/react"
import { afterEach, describe, expect, it } from "vitest"
import { Counted } from "@/testing/counted"
import { elementsOf } from "@/testing/hostile"
import { printed } from "@/testing/sequences"
import { AnsiLines } from "./ansi-text"
import { ansiLines, ansiRuns, withoutAnsi } from "./text/ansi"

const COUNT = 5_000
const MADE = printed(COUNT)

afterEach(cleanup)

function stepsOf(text: string): number {
  const counted = new Counted(text)
  ansiRuns(counted)
  return counted.steps
}

describe("B6", () => {
  it("reads five thousand different texts: whole sequences are dropped, words are all there", () => {
    expect(new Set(MADE.map(({ text }) => text)).size).toBe(COUNT)
    for (const { text, hidden, words } of MADE) {
      const read = withoutAnsi(text)
      expect(hidden.filter((each) => read.includes(each))).toEqual([])
      expect(words.filter((each) => !read.includes(each))).toEqual([])
      expect(read.length).toBeLessThanOrEqual(text.length)
    }
  })

  it("draws them as text in plain spans: no other element, no attribute but looks, no control", () => {
    const lines = MADE.flatMap(({ text }) => ansiLines(text))
    const { container } = render(<AnsiLines lines={lines} />)
    const bad: string[] = []
    let coloured = 0
    for (const element of elementsOf(container)) {
      if (element.hasAttribute("style")) coloured += 1
      if (element.tagName !== "SPAN") bad.push(element.tagName)
      for (const { name, value } of element.attributes) {
        if (name === "class" ? !/^(?:code-line|unseen|ansi(?: ansi-[a-z]+)*)$/.test(value) : name !== "style" || !LOOK.test(value))
          bad.push(`${name}=${value}`)
      }
    }
    expect(bad).toEqual([])
    expect(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]/.exec(container.textContent)).toBeNull()
    expect(coloured).toBeGreaterThan(100)
  })

  it("has what it checks for: as they are, most of them would act", () => {
    expect(MADE.filter(({ text }) => /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text)).length).toBeGreaterThan(COUNT / 2)
    expect(MADE.flatMap(({ hidden }) => hidden).length).toBeGreaterThan(1_000)
  })

  it("takes twice the steps for twice the text, and never more than eight for a character", () => {
    for (const { text } of MADE) expect(stepsOf(text)).toBeLessThanOrEqual(8 * text.length)
    for (const { text } of MADE.slice(0, 500)) {
      const [once, twice] = [stepsOf(text.repeat(20)), stepsOf(text.repeat(40))]
      expect(twice).toBeLessThanOrEqual(2.1 * once + 8)
    }
  })
})

/** Colours as properties, by number or name. */
const LOOK = /^(?:\s*--(?:fg|bg):\s*(?:var\(--ansi-\d+\)|rgb\(\d+ \d+ \d+\)|currentColor);?)+\s*$/
