/** The records behind a row. Pure. */

import type { PageRow, RecordPlace } from "@/api/schema"

export interface RowRecord {
  place: RecordPlace
  /** What of the row it says. */
  ids: readonly string[]
  label: string
}

/** Each record once, in the order of the row. */
export function recordsOf(row: PageRow): RowRecord[] {
  const found = new Map<string, { place: RecordPlace; ids: string[] }>()
  for (const [id, place] of Object.entries(row.places)) {
    const key = `${place.stream}\n${place.at}`
    const known = found.get(key)
    if (known) known.ids.push(id)
    else found.set(key, { place, ids: [id] })
  }
  const all = [...found.values()].toSorted((one, other) => rank(one.ids) - rank(other.ids) || one.place.at - other.place.at)
  return all.map((record, index) => ({ ...record, label: labelOf(record.ids, index) }))
}

function rank(ids: readonly string[]): number {
  return isResult(ids) ? 1 : 0
}

function labelOf(ids: readonly string[], index: number): string {
  return `${isResult(ids) ? "result" : "record"} ${index + 1}`
}

/** Whether a record of the row holds what a call gave back: that is never in a record of what was said. */
function isResult(ids: readonly string[]): boolean {
  return ids.some((id) => id.startsWith("result:"))
}

/** JSON with line breaks, its values untouched; text that is no JSON as it is. Exact where a parser would not be. */
export function laidOut(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  const lines: string[] = []
  let line = ""
  let depth = 0
  const breakLine = (): void => {
    lines.push(line)
    line = "  ".repeat(depth)
  }
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === "{" || token === "[") {
      line += token
      depth += 1
      breakLine()
    } else if (token === "}" || token === "]") {
      depth -= 1
      if (line.trim() === "" && /[{[]$/.test(lines[lines.length - 1] ?? "")) line = lines.pop() ?? ""
      else breakLine()
      line += token
    } else if (token === ",") {
      line += token
      breakLine()
    } else {
      line += token === ":" ? ": " : token
    }
  }
  lines.push(line)
  return lines.join("\n")
}
