/** Security table, row B1: hostile texts in every field, through every view of the application. */

import { cleanup, render } from "@testing-library/react"
import Markdown from "react-markdown"
import { afterEach, describe, expect, it } from "vitest"
import { BlockView } from "@/blocks/block-view"
import type { Block } from "@/blocks/shapes"
import { everything } from "./hostile-fields"
import { drawn, executable, payloads } from "./hostile"

const COUNT = 500
const PLACEMENTS = 10_000
/** How many texts are in each field at a time: rendering all views takes a quarter of a second. */
const TOGETHER = 50
const MADE = payloads(COUNT)

afterEach(cleanup)

describe("B1, control: the check can fail", () => {
  it("has five hundred different payloads", () => {
    expect(new Set(MADE.map(({ text }) => text)).size).toBe(COUNT)
  })

  it("finds each of them in a page without protection", () => {
    const tame = MADE.filter(({ undone, kind }) => {
      if (kind === "html") return executable(document.createRange().createContextualFragment(undone)).length === 0
      const { container, unmount } = render(<Markdown urlTransform={(url) => url}>{undone}</Markdown>)
      const found = executable(container)
      unmount()
      return found.length === 0
    })
    expect(tame.map(({ undone }) => undone)).toEqual([])
  })
})

describe("B1", () => {
  it("lets none of five hundred payloads run, load or lead astray in any field of any view", () => {
    const fields = new Set<string>()
    const drawnFields = new Set<string>()
    const seen = new Set<string>()
    let placed = 0
    for (let from = 0; from < COUNT; from += TOGETHER) {
      const batch = MADE.slice(from, from + TOGETHER)
      const names: string[] = []
      const fill = (field: string): string => {
        const at = names.push(field) - 1
        return batch.map(({ text }, index) => `${text}\n\nq${at}x${index}q`).join("\n\n")
      }
      const { container, unmount } = render(everything(fill))
      expect(executable(container)).toEqual([])
      for (const [mark, at] of drawn(container).matchAll(/q(\d+)x\d+q/g)) {
        seen.add(`${from} ${mark}`)
        drawnFields.add(names[Number(at)] ?? "")
      }
      for (const name of names) fields.add(name)
      placed += names.length * batch.length
      unmount()
    }
    expect(fields.size).toBeGreaterThanOrEqual(150)
    expect(drawnFields.size).toBeGreaterThanOrEqual(100)
    expect(placed).toBeGreaterThanOrEqual(COUNT * fields.size)
    expect(seen.size).toBeGreaterThanOrEqual(PLACEMENTS)
  })

  it("lets none of them do so alone in Markdown and as the address of a link", () => {
    for (let from = 0; from < COUNT; from += TOGETHER) {
      const blocks = MADE.slice(from, from + TOGETHER).flatMap(({ text }): Block[] => [
        { type: "prose", markdown: text, cut_chars: 0 },
        { type: "links", links: [{ title: text, url: text }], cut_chars: 0 },
      ])
      const { container, unmount } = render(
        <>
          {blocks.map((block, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- blocks have no other name
            <BlockView key={index} block={block} at={`${index}`} />
          ))}
        </>,
      )
      expect(executable(container)).toEqual([])
      expect(container.textContent).not.toContain("cannot be drawn")
      unmount()
    }
  })
})
