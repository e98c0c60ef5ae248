import { Check, Copy, type LucideIcon, X } from "lucide-react"
import { useEffect, useState } from "react"
import { IconButton } from "./button"

type State = "ready" | "copied" | "failed"

const LABELS: Record<State, string | null> = { ready: null, copied: "Copied", failed: "The browser refused to copy" }

/** Copies `text` to the clipboard; a function is called when the button is clicked. */
export function CopyButton({
  text,
  label,
  keys,
  icon: Icon = Copy,
  className,
}: {
  text: string | (() => string | Promise<string>)
  label: string
  keys?: string
  icon?: LucideIcon
  className?: string
}) {
  const [state, setState] = useState<State>("ready")

  useEffect(() => {
    if (state === "ready") return
    const timer = window.setTimeout(() => setState("ready"), 1600)
    return () => window.clearTimeout(timer)
  }, [state])

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text())
      setState("copied")
    } catch {
      setState("failed")
    }
  }

  return (
    <IconButton label={LABELS[state] ?? label} keys={state === "ready" ? keys : undefined} className={className} onClick={() => void copy()}>
      {state === "ready" ? <Icon /> : state === "copied" ? <Check className="text-running" /> : <X className="text-failed" />}
      <span className="sr-only" aria-live="polite">
        {LABELS[state]}
      </span>
    </IconButton>
  )
}
