import { useEffect, useEffectEvent } from "react"
import type { KeyName } from "./shortcuts"

type Act = (event: KeyboardEvent) => void

/** Keys by their names in the list of shortcuts (`j`, `?`, `mod+k`, `g c` for a sequence), and what they do. */
export type Keys = Readonly<Partial<Record<KeyName, Act>>>

interface Layer {
  /** Layers with a higher depth have priority; of equal ones, the last one. */
  depth: number
  keys: () => Keys
}

type Pressed = Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey">

/** Returns the name of the pressed key; empty for modifier keys. */
export function pressedName(event: Pressed): string {
  if (["Shift", "Control", "Alt", "Meta"].includes(event.key) || event.altKey) return ""
  if (event.key === " ") return event.shiftKey || event.metaKey || event.ctrlKey ? "" : "Space"
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  if (event.metaKey || event.ctrlKey) return `mod+${key}`
  return event.shiftKey && event.key.length > 1 ? `shift+${key}` : key === event.key ? key : `shift+${key}`
}

/** Returns the handler of a key. */
export function meant(layers: readonly Layer[], name: string): ((event: KeyboardEvent) => void) | null {
  for (const { keys } of layers.toReversed().toSorted((a, b) => b.depth - a.depth)) {
    const all: Readonly<Record<string, Act | undefined>> = keys()
    if (Object.hasOwn(all, name)) return all[name] ?? null
  }
  return null
}

const SEQUENCE_MS = 900

const layers: Layer[] = []
let before = ""
let beforeAt = 0

/** Whether the element takes text. A field in a dialog that was just closed may keep the focus for a moment. */
export function takesText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("dialog:not([open])") === null &&
    (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio], [type=button]), textarea, select"))
  )
}

/**
 * Binds keys while the component is mounted. While the reader types text, only `mod+…` counts, and below an open dialog
 * no key does. A page (depth 1) has priority over the shell around it (depth 0).
 */
export function useKeys(keys: Keys, depth = 1): void {
  const latest = useEffectEvent(() => keys)
  useEffect(() => {
    const layer = { depth, keys: () => latest() }
    if (layers.length === 0) {
      window.addEventListener("keydown", listenForSequences, { capture: true })
      document.addEventListener("keydown", listen)
    }
    layers.push(layer)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
      if (layers.length === 0) {
        window.removeEventListener("keydown", listenForSequences, { capture: true })
        document.removeEventListener("keydown", listen)
      }
    }
  }, [depth])
}

/** Runs before all other handlers: the last key of a sequence must not also act as a key by itself. */
function listenForSequences(event: KeyboardEvent): void {
  const pressed = countedName(event)
  if (pressed === "") return
  const name = event.timeStamp - beforeAt > SEQUENCE_MS || before === "" ? "" : `${before} ${pressed}`
  before = pressed
  beforeAt = event.timeStamp
  const act = name === "" ? null : meant(layers, name)
  if (act === null) return
  before = ""
  event.preventDefault()
  act(event)
}

function listen(event: KeyboardEvent): void {
  const pressed = countedName(event)
  const act = pressed === "" ? null : meant(layers, pressed)
  if (act === null) return
  event.preventDefault()
  act(event)
}

function countedName(event: KeyboardEvent): string {
  const pressed = pressedName(event)
  if (event.defaultPrevented || event.isComposing) return ""
  if (takesText(event.target) && !pressed.startsWith("mod+")) return ""
  // The space bar presses the focused button.
  if (pressed === "Space" && event.target instanceof Element && event.target.closest("button, a, summary, [role=button]")) return ""
  return document.querySelector("dialog[open]") === null ? pressed : ""
}
