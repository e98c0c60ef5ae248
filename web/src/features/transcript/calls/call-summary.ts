/** A tool call on one line: its input, and its result. Pure. */

import type { Block, ToolCall } from "@/api/schema"
import { several, size } from "@/blocks/text/figures"
import { tally } from "@/blocks/text/changes"
import { countLines, trimmed } from "@/blocks/text/lines"
import { seenLine } from "@/blocks/text/seen"

export interface Summary {
  title: string
  /** The command, if the title only describes it. */
  command: string
  facts: readonly Fact[]
}

export interface Fact {
  text: string
  tone: "plain" | "added" | "removed" | "failed"
}

const LONGEST = 300

export function summaryOf(call: ToolCall, folder: string | null): Summary {
  const shell = call.asked.find((block) => block.type === "shell")
  const command = shell ? seenLine(firstLine(shell.command)) : ""
  return {
    title: seenLine(withoutFolder(call.title.slice(0, LONGEST), folder)),
    command,
    facts: [...call.asked.flatMap(asked), ...(call.state === "failed" ? failure(call) : call.given.flatMap(given))].slice(0, 3),
  }
}

const NEARLY_MS = 60_000

/**
 * Whether a call without a result is still running: the conversation is at work, and little was recorded after the
 * call.
 */
export function isRunning(call: ToolCall, lastSign: string | null): boolean {
  if (call.state !== "pending" || lastSign === null) return false
  if (call.agent !== null) return true
  return call.time !== null && Date.parse(call.time) >= Date.parse(lastSign) - NEARLY_MS
}

/** Returns the exit code of a command, if its result contains it. */
export function exitCode(call: ToolCall): number | null {
  for (const block of call.given) {
    const code = block.type === "output" ? /^\s*Exit code (\d{1,3})\b/.exec(block.text.slice(0, 40))?.[1] : undefined
    if (code !== undefined) return Number(code)
  }
  return null
}

/** Makes paths below the folder of the conversation relative to it. */
export function withoutFolder(title: string, folder: string | null): string {
  if (!folder) return title
  const root = folder.endsWith("/") ? folder : `${folder}/`
  return title
    .split("  in ")
    .map((part) => (part.startsWith(root) && part.length > root.length ? part.slice(root.length) : part))
    .join("  in ")
}

function firstLine(text: string): string {
  return trimmed(text).slice(0, LONGEST).split("\n")[0] ?? ""
}

function asked(block: Block): Fact[] {
  switch (block.type) {
    case "diff": {
      const { added, removed } = tally(block.hunks)
      return [
        ...(block.is_new ? [plain("new file")] : []),
        ...(added > 0 ? [{ text: `+${added}`, tone: "added" } satisfies Fact] : []),
        ...(removed > 0 ? [{ text: `−${removed}`, tone: "removed" } satisfies Fact] : []),
      ]
    }
    case "code":
      return [plain(several(countLines(trimmed(block.text)), "line"))]
    case "question":
      return block.answer === null ? [] : [plain(seenLine(block.answer).slice(0, 80))]
    default:
      return []
  }
}

function given(block: Block): Fact[] {
  switch (block.type) {
    case "output":
      if (block.side_file?.size_bytes != null) return [plain(size(block.side_file.size_bytes))]
      if (block.cut_chars > 0) return [plain(`over ${several(countLines(trimmed(block.text)), "line")}`)]
      return block.text.trim() ? [plain(shortOrLines(block.text))] : []
    case "code":
      return [plain(several(countLines(trimmed(block.text)), "line"))]
    case "json":
      return [plain(several(countLines(block.text), "line"))]
    case "diff":
      return asked(block)
    case "image":
      return [plain("image")]
    case "links":
      return [plain(several(block.links.length, "link"))]
    case "todos":
      return [plain(several(block.items.length, "task"))]
    case "note":
      return block.is_bulk ? [] : [plain(seenLine(block.text.slice(0, LONGEST)).slice(0, 80))]
    default:
      return []
  }
}

/** A result of a few words is shown as it is; of a longer one, the number of lines. */
function shortOrLines(text: string): string {
  const whole = trimmed(text)
  const lines = countLines(whole)
  return lines === 1 && whole.length <= 48 && !whole.includes("\x1b") ? seenLine(whole) : several(lines, "line")
}

/** Returns the first line of the error of a failed call. */
function failure(call: ToolCall): Fact[] {
  for (const block of call.given) {
    if ((block.type === "output" || block.type === "note") && block.text.trim()) {
      return [{ text: seenLine(firstLine(block.text)).slice(0, 120), tone: "failed" }]
    }
  }
  return []
}

function plain(text: string): Fact {
  return { text, tone: "plain" }
}
