/** A row as text for the clipboard: Markdown, or plain. Pure. */

import type { Block, Piece, Row, SubAgent, ToolCall } from "@/api/schema"
import { withoutAnsi } from "@/blocks/text/ansi"
import { seenLine } from "@/blocks/text/seen"

export type Form = "markdown" | "text"

export function copyOf(row: Row, form: Form): string {
  return partsOf(row, form)
    .filter((part) => part.trim())
    .join("\n\n")
}

function partsOf(row: Row, form: Form): string[] {
  switch (row.type) {
    case "message":
      return [...row.pieces.map((piece) => ofPiece(piece, form)), row.error ?? ""]
    case "turn":
      return [...row.blocks.map((block) => ofBlock(block, form)), row.outcome]
    case "queued":
      return row.blocks.map((block) => ofBlock(block, form))
    case "notice":
      return [seenLine(row.title), ...row.blocks.map((block) => ofBlock(block, form))]
    case "orphan":
      return [ofCall(row.call, form)]
    case "agent":
      return [ofAgent(row.agent)]
    case "compaction":
      return ["compacted"]
    case "mode":
      return [`permission mode: ${seenLine(row.mode)}`]
    case "branch":
      return [seenLine(row.words)]
    default:
      row satisfies never
      return []
  }
}

function ofPiece(piece: Piece, form: Form): string {
  return piece.type === "call" ? ofCall(piece, form) : ofBlock(piece, form)
}

function ofCall(call: ToolCall, form: Form): string {
  const name = seenLine(call.label)
  const title = seenLine(call.title)
  const head = form === "markdown" ? `**${name}** ${title}` : `${name} ${title}`
  return [
    head.trim(),
    ...call.asked.map((block) => ofBlock(block, form)),
    call.agent ? ofAgent(call.agent) : "",
    ...call.given.map((block) => ofBlock(block, form)),
  ]
    .filter((part) => part.trim())
    .join("\n\n")
}

function ofAgent(agent: SubAgent): string {
  return ["sub-agent", agent.kind, agent.description].filter(Boolean).map(seenLine).join(" · ")
}

function ofBlock(block: Block, form: Form): string {
  switch (block.type) {
    case "prose":
    case "plan":
      return block.markdown
    case "thinking":
      return form === "markdown" ? quoted(block.text) : block.text
    case "code":
      return fenced(block.text, block.language, form)
    case "json":
      return fenced(block.text, "json", form)
    case "shell":
      return fenced(block.command, block.language, form)
    case "output":
      return fenced(withoutAnsi(block.tail === "" ? block.text : `${block.text}\n⋯\n${block.tail}`), "", form)
    case "diff":
      return fenced(block.hunks.map((hunk) => hunk.lines.join("\n")).join("\n⋯\n"), "diff", form)
    case "todos":
      return block.items.map((item) => `- [${item.status === "completed" ? "x" : " "}] ${seenLine(item.text)}`).join("\n")
    case "image":
      return `[image: ${seenLine(block.media_type)}]`
    case "question":
      return [block.question, ...block.options.map((option) => `- [${option.is_chosen ? "x" : " "}] ${option.label}`)].join("\n")
    case "links":
      return block.links.map((link) => `- ${seenLine(link.title)} ${seenLine(link.url)}`).join("\n")
    case "note":
      return block.text
    case "unread":
      return fenced(block.text, "", form)
    default:
      block satisfies never
      return ""
  }
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n")
}

/** A fence longer than any in the text, so that the text cannot end it. */
function fenced(text: string, language: string, form: Form): string {
  if (!text.trim()) return ""
  if (form === "text") return text
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${/^[\w+#.-]*$/.test(language) ? language : ""}\n${text.replace(/\n$/, "")}\n${fence}`
}
