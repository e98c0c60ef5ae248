/** Numbers formatted for people, with the same words as `core/views/figures.py`. */

import type { Tokens } from "@/blocks/shapes"

type Spent = Pick<Tokens, "input" | "output" | "cache_creation" | "cache_read">

const COUNTLESS = 1e15
const WHOLE = new Intl.NumberFormat("en-US")

/** `999`, `1.2k`, `12k`, `3.4M`. */
export function count(number: number): string {
  let size = Math.min(number, COUNTLESS)
  for (const unit of ["", "k", "M", "G"]) {
    if (Math.abs(size) < 1000 - (unit ? 0.5 : 0)) {
      return unit && Math.abs(size) < 9.95 ? `${size.toFixed(1)}${unit}` : `${size.toFixed(0)}${unit}`
    }
    size /= 1000
  }
  return `${size.toFixed(0)}T`
}

/** `812 bytes`, `164.9 kB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return several(bytes, "byte")
  let scaled = Math.min(bytes, COUNTLESS)
  for (const unit of ["kB", "MB"]) {
    scaled /= 1000
    if (scaled < 1000) return `${scaled.toFixed(1)} ${unit}`
  }
  return `${(scaled / 1000).toFixed(1)} GB`
}

/** `80ms`, `1.2s`, `42s`, `3m 05s`, `2h 10m`. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (!(seconds >= 0 && seconds < COUNTLESS)) return "?"
  if (seconds < 0.9995) return `${milliseconds.toFixed(0)}ms`
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`
  const whole = Math.round(seconds)
  const padded = (part: number): string => String(part).padStart(2, "0")
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${padded(whole % 60)}s`
  return `${Math.floor(whole / 3600)}h ${padded(Math.floor((whole % 3600) / 60))}m`
}

/** `$0.0018`, `$0.03`, `$12.40`. */
export function cost(usd: number): string {
  if (!(usd > -COUNTLESS && usd < COUNTLESS)) return "$?"
  return usd === 0 || usd >= 0.01 ? `$${usd.toFixed(2)}` : `$${usd.toFixed(4)}`
}

/** `2.1k in · 42 out`, cache included, with `≥ 42 out` for a lower bound; empty for no tokens at all. */
export function tokens(spent: Spent, isLowerBound = false): string {
  const read = spent.input + spent.cache_creation + spent.cache_read
  return read || spent.output ? `${count(read)} in · ${isLowerBound ? "≥ " : ""}${count(spent.output)} out` : ""
}

/** `1 line`, `2 lines`. */
export function several(number: number, noun: string, nouns = `${noun}s`): string {
  return number === 1 ? `1 ${noun}` : `${WHOLE.format(number)} ${nouns}`
}

/** Returns the milliseconds between two times of records; null if one is missing, or the second is not the later one. */
export function elapsed(start: string | null, end: string | null): number | null {
  if (!start || !end) return null
  const milliseconds = Date.parse(end) - Date.parse(start)
  return milliseconds > 0 ? milliseconds : null
}
