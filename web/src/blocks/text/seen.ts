/**
 * Makes every active or hidden character in text from a transcript visible, as in the terminal (`core/views/safe.py`).
 *
 * Bidirectional controls show code in another order than it runs, and invisible characters carry content that no reader
 * sees.
 */

export interface Part {
  text: string
  /** Whether this part represents an invisible character. */
  isMark: boolean
}

const UNSEEN = new RegExp(
  "\\r(?!\\n)" +
    "|[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f" +
    "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
    "\\u200b\\u200c\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff9-\\ufffc" +
    "\\u{d800}-\\u{dfff}" +
    "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]" +
    // A joiner is allowed only inside an emoji.
    "|(?<![\\u2190-\\u2bff\\ufe0f\\u{1f000}-\\u{1faff}])\\u200d",
  "gu",
)
const PLAIN = /^[\t\n\x20-\x7e]*$/

/** Splits the text into parts, in order: visible text, and a mark for each invisible character. Linear in the text. */
export function seenParts(text: string): Part[] {
  if (PLAIN.test(text)) return text ? [{ text, isMark: false }] : []
  const parts: Part[] = []
  let from = 0
  for (const found of text.matchAll(UNSEEN)) {
    if (found.index > from) parts.push({ text: text.slice(from, found.index), isMark: false })
    parts.push({ text: writtenOut(found[0]), isMark: true })
    from = found.index + found[0].length
  }
  if (from < text.length) parts.push({ text: text.slice(from), isMark: false })
  return parts
}

/** The same as one text. */
export function seen(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSEEN, writtenOut)
}

/** White space as Python defines it: `\s` in a browser also matches U+FEFF, which is invisible and must not disappear. */
const CONTROL_BLANKS = "\\t-\\r\\x1c-\\x20\\x85"
const BLANKS = new RegExp(`[${CONTROL_BLANKS}\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+`, "gu")

/** Returns `text` on one line: every run of white space becomes one space. */
export function seenLine(text: string): string {
  return seen(text.replace(BLANKS, " ").replace(/^ | $/g, ""))
}

const UNSEEN_IN_PROSE = new RegExp(
  "\\r(?!\\n)" +
    "|[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffc" +
    "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
  "gu",
)

/**
 * Like `seen`, but prose may contain what some scripts need (joiners, direction marks); nothing that hides or reorders
 * text.
 */
export function seenInProse(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSEEN_IN_PROSE, writtenOut)
}

function writtenOut(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd"
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`
}
