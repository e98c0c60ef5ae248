import type { ReactNode } from "react"

/** A key, or keys one after the other. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-[1.125rem] min-w-[1.125rem] items-center justify-center rounded border border-line-strong bg-surface px-1 font-sans text-xs font-medium text-ink-2">
      {children}
    </kbd>
  )
}

/** Keys by their names, one after the other: `g c`. */
export function KbdSequence({ keys }: { keys: string }) {
  return (
    <span className="flex gap-1">
      {keys.split(" ").map((key) => (
        <Kbd key={key}>{keyName(key)}</Kbd>
      ))}
    </span>
  )
}

const IS_APPLE = /mac|iphone|ipad/i.test(navigator.platform)
const MODIFIERS: Record<string, string> = { mod: IS_APPLE ? "⌘" : "Ctrl ", shift: "Shift " }

/** `mod+k` as this platform writes it: ⌘K or Ctrl K. */
export function keyName(keys: string): string {
  return keys
    .split("+")
    .map((key) => MODIFIERS[key] ?? (key.length === 1 ? key.toUpperCase() : key))
    .join("")
}
