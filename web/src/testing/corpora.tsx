/**
 * What the tests render with hostile and with ordinary texts: in the document of the tests, and in a browser under the
 * policy.
 */

import type { ReactNode } from "react"
import { BlockView } from "@/blocks/block-view"
import type { Block } from "@/blocks/shapes"
import { BlockSourceContext, type BlockSource } from "@/blocks/source"
import { executable, payloads } from "./hostile"
import { blocksOf, HOSTILE_TEXTS } from "./hostile-blocks"
import { everything } from "./hostile-fields"
import { markdownTexts } from "./markdown"

const PAYLOADS = 500
/** How many texts are rendered at a time: rendering all views takes a quarter of a second. */
const TOGETHER = 50

export interface Drawing {
  /** A name that helps to find it. */
  name: string
  node: ReactNode
}

/** Yields everything that is rendered from all corpora. */
export function* drawings(): Generator<Drawing> {
  const made = payloads(PAYLOADS)
  for (let from = 0; from < made.length; from += TOGETHER) {
    const texts = made.slice(from, from + TOGETHER).map(({ text }) => text)
    yield { name: `payloads ${from} in every field`, node: everything(different(() => texts.join("\n\n"))) }
    yield { name: `payloads ${from} alone`, node: blocks(texts.flatMap(asMarkdownAndLink)) }
  }
  for (const text of HOSTILE_TEXTS) yield { name: `blocks of ${text}`, node: blocks(blocksOf(text)) }
  const markdown = markdownTexts()
  yield { name: "Markdown in every field", node: everything(different((nth) => markdown[nth % markdown.length] ?? "")) }
  for (let from = 0; from < markdown.length; from += TOGETHER) {
    yield { name: `Markdown ${from}`, node: blocks(markdown.slice(from, from + TOGETHER).flatMap(asMarkdownAndPlan)) }
  }
}

/** Returns what is wrong with a rendered part: what runs, loads or misleads, and what could not be rendered. */
export function faults(root: ParentNode): string[] {
  const failed = [...root.querySelectorAll("[data-failed]")].map((each) => `failed: ${each.textContent}`)
  return [...executable(root), ...failed]
}

/** Ids are among the fields, so all values must be different. */
function different(make: (nth: number) => string): () => string {
  let nth = 0
  return () => `${make(nth)}\n\nfield ${nth++}`
}

function asMarkdownAndLink(text: string): Block[] {
  return [
    { type: "prose", markdown: text, cut_chars: 0 },
    { type: "links", links: [{ title: text, url: text }], cut_chars: 0 },
  ]
}

function asMarkdownAndPlan(text: string): Block[] {
  return [
    { type: "prose", markdown: text, cut_chars: 0 },
    { type: "plan", markdown: text, cut_chars: 0 },
  ]
}

const source: BlockSource = {
  imageAddress: () => null,
  loadWhole: () => Promise.resolve(),
  sideFile: () => Promise.reject(new Error("There is no file")),
  sideFileAddress: () => "/api/conversations/a/b/c/file",
}

function blocks(all: readonly Block[]): ReactNode {
  return (
    <BlockSourceContext value={source}>
      {all.map((block, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- blocks have no other name
        <BlockView key={index} block={block} at={`${index}`} />
      ))}
    </BlockSourceContext>
  )
}
