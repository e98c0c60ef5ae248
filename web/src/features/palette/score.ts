/**
 * Returns how well `words` match a typed text: 0 if a typed word matches none of them, more for words that begin with
 * it, and most for a text that begins with it. Pure.
 */
export function score(words: string, typed: string): number {
  const text = plain(words)
  const asked = plain(typed).trim()
  if (asked === "") return 1
  let sum = text.startsWith(asked) ? 4 : text.includes(asked) ? 2 : 0
  for (const part of asked.split(/\s+/)) {
    const at = text.indexOf(part)
    if (at < 0) return 0
    const isBeginning = at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))
    sum += isBeginning ? 2 : 1
  }
  return sum
}

/** Without case and accents. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
}
