import { Square } from "lucide-react"
import { useEffect, useState } from "react"
import { Button } from "@/ui/button"
import { cx } from "@/ui/cx"
import { tip } from "@/ui/tooltip"

/** The second press counts only after this time: a double click is one decision, not two. */
const APART_MS = 400
const FORGOTTEN_MS = 6000

/** Ends an agent and every process that it started, after a confirmation. */
export function StopButton({ isDisabled, onStop }: { isDisabled: boolean; onStop: () => void }) {
  const [askedAt, setAskedAt] = useState<number | null>(null)

  useEffect(() => {
    if (askedAt === null) return undefined
    const timer = window.setTimeout(() => setAskedAt(null), FORGOTTEN_MS)
    return () => window.clearTimeout(timer)
  }, [askedAt])

  return (
    <Button
      size="sm"
      kind={askedAt === null ? "quiet" : "plain"}
      disabled={isDisabled}
      className={cx(askedAt !== null && "border-failed text-failed")}
      {...tip("Ends the agent and all it started")}
      onBlur={() => setAskedAt(null)}
      onKeyDown={(event) => {
        if (event.repeat) event.preventDefault()
      }}
      onClick={(event) => {
        if (askedAt === null) setAskedAt(event.timeStamp)
        else if (event.timeStamp - askedAt >= APART_MS) {
          setAskedAt(null)
          onStop()
        }
      }}
    >
      <Square aria-hidden />
      {askedAt === null ? "Stop" : "Press again to stop it"}
    </Button>
  )
}
