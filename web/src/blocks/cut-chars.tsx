import { useId, useState } from "react"
import { several } from "./text/figures"
import { useBlockSource } from "./source"
import { useHidden } from "./wholeness"

/** Says how much text the page leaves out, with a button to load it. */
export function CutChars({ chars }: { chars: number }) {
  const { loadWhole } = useBlockSource()
  const [state, setState] = useState<"ready" | "loading" | "failed">("ready")
  useHidden(useId(), Math.max(0, chars))
  if (chars <= 0) return null
  if (loadWhole === null) return <p className="cut-chars">{several(chars, "more character")} in the raw record</p>

  const load = async () => {
    setState("loading")
    try {
      await loadWhole()
      setState("ready")
    } catch {
      setState("failed")
    }
  }

  return (
    <button type="button" className="more-lines" disabled={state === "loading"} onClick={() => void load()}>
      {state === "loading" ? "Loading…" : `Load ${several(chars, "more character")}`}
      {state === "failed" ? " (that failed: try again, or open the raw record)" : null}
    </button>
  )
}
