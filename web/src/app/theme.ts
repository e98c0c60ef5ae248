import { useSyncExternalStore } from "react"
import { recalled, remember } from "@/ui/remembered"

type Theme = "system" | "light" | "dark"

const ORDER: readonly Theme[] = ["system", "light", "dark"]
const readers = new Set<() => void>()
let current: Theme = themeOf(recalled("theme"))

export function themeOf(text: string | null): Theme {
  return text === "light" || text === "dark" ? text : "system"
}

export function nextTheme(theme: Theme): Theme {
  return ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? "system"
}

/** `theme-first.js` does the same before the first paint. */
export function setTheme(theme: Theme): void {
  current = theme
  remember("theme", theme === "system" ? null : theme)
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
  for (const reader of readers) reader()
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => current)
}

function subscribe(reader: () => void): () => void {
  readers.add(reader)
  return () => readers.delete(reader)
}
