/** Operations on the lines of long texts, without an array of all lines. */

export function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1
  return lines
}

export function firstLines(text: string, lines: number): string {
  let at = -1
  for (let number = 0; number < lines; number += 1) {
    at = text.indexOf("\n", at + 1)
    if (at < 0) return text
  }
  return text.slice(0, at)
}

/** Returns the text without leading line feeds and trailing white space. */
export function trimmed(text: string): string {
  let from = 0
  while (text[from] === "\n") from += 1
  return text.slice(from).trimEnd()
}
