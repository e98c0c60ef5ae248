/**
 * The settings of the reader for this browser. They are stored in the browser and sent nowhere; `theme-first.js`
 * applies them before the first paint.
 */

import { recalled, remember } from "./remembered"

export type TextSize = "small" | "normal" | "large" | "larger"
export type Density = "comfortable" | "compact"
export type Clock = "system" | "12" | "24"
/** What is open or shown by default in a transcript. */
export type Shown = "thinking" | "internal"

export function textSize(): TextSize {
  const kept = recalled("text")
  return kept === "small" || kept === "large" || kept === "larger" ? kept : "normal"
}

export function putTextSize(size: TextSize): void {
  remember("text", size === "normal" ? null : size)
  mark("text", size === "normal" ? null : size)
}

export function density(): Density {
  return recalled("density") === "compact" ? "compact" : "comfortable"
}

export function putDensity(chosen: Density): void {
  const kept = chosen === "compact" ? chosen : null
  remember("density", kept)
  mark("density", kept)
}

export function clock(): Clock {
  const kept = recalled("clock")
  return kept === "12" || kept === "24" ? kept : "system"
}

/** Loads the page again, because formats are created only once. */
export function putClock(chosen: Clock): void {
  remember("clock", chosen === "system" ? null : chosen)
  window.location.reload()
}

export function preferred(what: Shown): boolean {
  return recalled(`show.${what}`) === "1"
}

export function putPreferred(what: Shown, isShown: boolean): void {
  remember(`show.${what}`, isShown ? "1" : null)
}

function mark(name: "text" | "density", value: string | null): void {
  if (value === null) delete document.documentElement.dataset[name]
  else document.documentElement.dataset[name] = value
}
