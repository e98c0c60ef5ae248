/** Highlights code as spans. */

import hljs from "highlight.js/lib/core"
import { SpanEmitter } from "./emitter"
import { INNER, LOADERS } from "./languages"
import { linesOf, plainLines, type Line } from "./spans"

/** Longer texts and lines are not highlighted: some take quadratic time. */
const LONGEST = 100_000
const LONGEST_LINE = 1000
const KEPT = 300

hljs.configure({ __emitter: SpanEmitter, ignoreUnescapedHTML: true })

const loading = new Map<string, Promise<void>>()
const kept = new Map<string, Line[]>()

export function isReady(language: string): boolean {
  return hljs.getLanguage(language) !== undefined
}

/** Loads a language, once; if that fails, the text stays plain. */
export function load(language: string): Promise<void> {
  const known = loading.get(language)
  if (known) return known
  const inner = (INNER[language] ?? []).map(load)
  const own = LOADERS[language]?.().then((loaded) => hljs.registerLanguage(language, loaded.default))
  const all = Promise.all([own, ...inner]).then(
    () => undefined,
    () => undefined,
  )
  loading.set(language, all)
  return all
}

/** Returns the lines of a text; plain if the language is not loaded or the text is too long. */
export function highlighted(text: string, language: string | null): Line[] {
  if (language === null || !isReady(language) || isTooMuch(text)) return plainLines(text)
  const key = `${language}\n${text}`
  const known = kept.get(key)
  if (known) return known
  const lines = linesOf(spansOf(text, language))
  kept.set(key, lines)
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break
    kept.delete(oldest)
  }
  return lines
}

function spansOf(text: string, language: string) {
  const emitter: unknown = hljs.highlight(text, { language, ignoreIllegals: true })._emitter
  return emitter instanceof SpanEmitter ? emitter.spans : [{ text, scope: "" }]
}

function isTooMuch(text: string): boolean {
  if (text.length > LONGEST) return true
  let from = 0
  for (;;) {
    const end = text.indexOf("\n", from)
    if ((end < 0 ? text.length : end) - from > LONGEST_LINE) return true
    if (end < 0) return false
    from = end + 1
  }
}
