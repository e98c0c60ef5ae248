import { useEffect, useMemo, useState } from "react"
import { highlighted, isReady, load } from "./highlight"
import { languageOf } from "./languages"
import type { Line } from "./spans"

/** Returns the language once it is loaded, null until then. */
export function useLanguage(language: string | null): string | null {
  const [, redraw] = useState(0)
  const ready = language !== null && isReady(language)

  useEffect(() => {
    if (language === null || ready) return
    let isGone = false
    void load(language).then(() => {
      if (!isGone) redraw((times) => times + 1)
    })
    return () => {
      isGone = true
    }
  }, [language, ready])

  return ready ? language : null
}

/** Returns the lines of a text, plain until its language is loaded; their number never changes. */
export function useHighlighted(text: string, languageName: string): Line[] {
  const language = useLanguage(languageOf(languageName))
  return useMemo(() => highlighted(text, language), [text, language])
}
