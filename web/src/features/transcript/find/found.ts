/** What a search inside a conversation looks for, and which parts of a row must be open to see it. Pure. */

import type { Block, Located, PageRow, ToolCall } from "@/api/schema"
import type { FoldKind } from "@/blocks/folds"
import { compareKeys, type RowKey } from "../list/rows"

/** Returns the words of a query that can appear in a text: without fields, operators and quotation marks. */
export function wordsOf(query: string): string[] {
  const words: string[] = []
  for (const [, quoted, word] of query.matchAll(/"([^"]*)"|(\S+)/g)) {
    if (quoted !== undefined) words.push(quoted.trim())
    else if (word && !/^(?:and|or|not|-.*|[a-z_]+:.*)$/i.test(word)) words.push(word.replace(/^[("]+|[)"*]+$/g, ""))
  }
  return [...new Set(words.map((word) => word.toLowerCase()).filter((word) => word.length > 0))]
}

/** Returns the hit to start with: the first one at or after the position of the reader, else the first one. */
export function firstHit(hits: readonly Located[], key: RowKey | null): number {
  if (key === null) return Math.max(0, hits.length - 1)
  const at = hits.findIndex((hit) => compareKeys(hit.key, key) >= 0)
  return at < 0 ? 0 : at
}

/** Merges the hits of several responses: each once, in the order of the conversation. */
export function inOrder(hits: readonly Located[]): Located[] {
  return [...new Map(hits.map((hit) => [hit.id, hit])).values()].toSorted((one, other) => compareKeys(one.key, other.key))
}

/** A fold that contains a word, and the line of it in the fold. */
type Holding = [kind: FoldKind, key: string, line: number]

/** Returns the folds that must be open so that the words can be seen in this row. */
export function foldsHolding(row: PageRow, words: readonly string[]): Holding[] {
  const item = row.row
  const found: Holding[] = []
  const inBlocks = (blocks: readonly Block[], at: (index: number) => string): boolean => {
    let isAny = false
    blocks.forEach((block, index) => {
      if (!holds(block, words)) return
      isAny = true
      found.push(block.type === "thinking" ? ["thinking", at(index), 0] : ["lines", at(index), lineOf(block, words)])
    })
    return isAny
  }
  const inCall = (call: ToolCall): void => {
    const isAsked = inBlocks(call.asked, (index) => `${call.id}/asked/${index}`)
    const isGiven = inBlocks(call.given, (index) => `${call.id}/given/${index}`)
    if (isAsked || isGiven) found.push(["call", call.id, 0])
  }
  switch (item.type) {
    case "message":
      item.pieces.forEach((piece, index) => {
        if (piece.type === "call") inCall(piece)
        else if (holds(piece, words)) {
          found.push([piece.type === "thinking" ? "thinking" : "lines", `${item.id}/${index}`, lineOf(piece, words)])
        }
      })
      break
    case "orphan":
      inCall(item.call)
      break
    case "turn":
    case "queued":
    case "notice":
      inBlocks(item.blocks, (index) => `${item.id}/${index}`)
      break
    default:
      break
  }
  return found
}

/** Returns how many lines of a block are above the first of the words. */
export function lineOf(block: Block, words: readonly string[]): number {
  const text = linedText(block).toLowerCase()
  const places = words.map((word) => text.indexOf(word)).filter((at) => at >= 0)
  if (places.length === 0) return 0
  return text.slice(0, Math.min(...places)).split("\n").length - 1
}

function linedText(block: Block): string {
  if (block.type === "diff") return block.hunks.flatMap((hunk) => hunk.lines).join("\n")
  if (block.type === "shell") return block.command
  return "text" in block ? block.text : ""
}

/** Whether a part of a row is missing from the page because it is long. */
export function isCut(row: PageRow): boolean {
  return /"cut_chars":[1-9]/.test(JSON.stringify(row.row))
}

/** Returns the parts of a row that can be opened. */
export function foldsOf(row: PageRow): [FoldKind, string][] {
  const item = row.row
  if (item.type === "orphan") return [["call", item.call.id]]
  if (item.type !== "message") return []
  return item.pieces.flatMap((piece, index): [FoldKind, string][] => {
    if (piece.type === "call") return [["call", piece.id]]
    return piece.type === "thinking" ? [["thinking", `${item.id}/${index}`]] : []
  })
}

function holds(block: Block, words: readonly string[]): boolean {
  const text = JSON.stringify(block).toLowerCase()
  return words.some((word) => text.includes(JSON.stringify(word).slice(1, -1)))
}
