/**
 * Formatted JSON as lines that can be folded. The text stays as it is (numbers of any size, repeated keys, half an
 * object), so levels are recognised by indentation, not by parsing.
 */

export interface JsonLine {
  text: string
  depth: number
  /** The line that closes what this one opens; null if it opens nothing, or is never closed. */
  closes: number | null
  /** A string value that is JSON itself, laid out. */
  inner: string | null
}

const INNER_LONGEST = 100_000
const OPENS = /[{[]\s*$/
const STRING_VALUE = /^\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*)?("(?:[^"\\]|\\.)*"),?\s*$/

export function jsonLines(text: string): JsonLine[] {
  const texts = text.split("\n")
  const lines: JsonLine[] = texts.map((line) => ({
    text: line,
    depth: depthOf(line),
    closes: null,
    inner: innerOf(line),
  }))
  const open: number[] = []
  lines.forEach((line, index) => {
    while (open.length > 0 && (lines[open[open.length - 1] ?? 0]?.depth ?? 0) > line.depth) open.pop()
    const opener = open[open.length - 1]
    if (opener !== undefined && lines[opener]?.depth === line.depth && /^\s*[}\]]/.test(line.text)) {
      const begun = lines[opener]
      if (begun) begun.closes = index
      open.pop()
    }
    if (OPENS.test(line.text)) open.push(index)
  })
  return lines
}

/** Returns the visible lines if the folded ones show only their first and last line. */
export function visibleLines(lines: readonly JsonLine[], isFolded: (index: number) => boolean): number[] {
  const seen: number[] = []
  for (let at = 0; at < lines.length; at += 1) {
    seen.push(at)
    const closes = lines[at]?.closes
    if (closes != null && isFolded(at)) at = closes
  }
  return seen
}

function depthOf(line: string): number {
  return (/^ */.exec(line)?.[0].length ?? 0) / 2
}

/** Returns the formatted JSON inside the string of a line; null if there is none worth opening. */
function innerOf(line: string): string | null {
  if (line.length > INNER_LONGEST || !/"\s*[{[]/.test(line)) return null
  const value = STRING_VALUE.exec(line)?.[1]
  if (value === undefined) return null
  try {
    const text: unknown = JSON.parse(value)
    if (typeof text !== "string" || !/^\s*[{[]/.test(text)) return null
    const inner: unknown = JSON.parse(text)
    return typeof inner === "object" && inner !== null ? JSON.stringify(inner, null, 2) : null
  } catch {
    return null
  }
}
