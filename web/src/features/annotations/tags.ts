/** Returns the tags in a typed text: words separated by spaces or commas; a leading `#` is ignored. Pure. */
export function tagsIn(text: string): string[] {
  const words = text.split(/[\s,]+/).map((word) => word.replace(/^#+/, ""))
  return [...new Set(words.filter((word) => word !== ""))]
}
