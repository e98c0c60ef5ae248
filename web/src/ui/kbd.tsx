import type { ReactNode } from "react"

/** A key, or keys one after the other. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-[1.125rem] min-w-[1.125rem] items-center justify-center rounded border border-line-strong bg-surface px-1 font-sans text-xs font-medium text-ink-2">
      {children}
    </kbd>
  )
}

/** `mod+k` as this platform writes it: ⌘K or Ctrl K. */
export function keyName(keys: string, isApple: boolean = /mac|iphone|ipad/i.test(navigator.platform)): string {
  return keys
    .split("+")
    .map((key) => (key === "mod" ? (isApple ? "⌘" : "Ctrl ") : key.length === 1 ? key.toUpperCase() : key))
    .join("")
}
