/** Pieces of text with their role in the language. */

export interface Span {
  text: string
  /** The name that the highlighter uses, such as `keyword`; empty for plain text. */
  scope: string
}

export type Line = readonly Span[]

export function plainLines(text: string): Line[] {
  return text.split("\n").map((line) => (line ? [{ text: line, scope: "" }] : []))
}

/** Splits spans into lines; the texts of the lines joined by line feeds are the text. */
export function linesOf(spans: readonly Span[]): Line[] {
  const lines: Span[][] = [[]]
  for (const span of spans) {
    span.text.split("\n").forEach((piece, index) => {
      if (index > 0) lines.push([])
      if (piece) lines[lines.length - 1]?.push({ text: piece, scope: span.scope })
    })
  }
  return lines
}

export interface MarkedSpan extends Span {
  isMarked: boolean
}

/** Splits a line where marks begin and end; `marks` are [from, to) in characters, ordered and not overlapping. */
export function marked(line: Line, marks: readonly (readonly [number, number])[]): MarkedSpan[] {
  const cut: MarkedSpan[] = []
  let at = 0
  let next = 0
  for (const span of line) {
    let from = 0
    while (from < span.text.length) {
      while (next < marks.length && (marks[next]?.[1] ?? 0) <= at + from) next += 1
      const mark = marks[next]
      const isMarked = mark !== undefined && mark[0] <= at + from
      const edge = mark === undefined ? Infinity : isMarked ? mark[1] : mark[0]
      const to = Math.min(span.text.length, edge - at)
      cut.push({ text: span.text.slice(from, to), scope: span.scope, isMarked })
      from = to
    }
    at += span.text.length
  }
  return cut
}
