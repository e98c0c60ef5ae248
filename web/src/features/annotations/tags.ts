/** The tags in what was typed: words, with blanks or commas between them; a `#` before one says nothing. Pure. */
export function tagsIn(text: string): string[] {
  const words = text.split(/[\s,]+/).map((word) => word.replace(/^#+/, ""))
  return [...new Set(words.filter((word) => word !== ""))]
}
