import { X } from "lucide-react"
import { useEffect, useState } from "react"
import type { ServerStatus } from "@/api/schema"
import { several, size } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { IconButton } from "@/ui/button"
import { Kbd, keyName } from "@/ui/kbd"
import { recalled, remember } from "@/ui/remembered"
import { riskInWords } from "./risk"

/** Long enough to read it twice. */
const READ_MS = 20_000

/**
 * A card above the list, shown once and for a limited time: what is watched, what was found, what is at risk, and how
 * to navigate.
 */
export function WelcomeCard({ status }: { status: ServerStatus | undefined }) {
  const [isAway, setAway] = useState(() => recalled("welcomed") !== null)
  const isShown = !isAway && status !== undefined && status.state !== "starting"

  // The card disappears after a while, and does not come back.
  useEffect(() => {
    if (!isShown) return
    const timer = window.setTimeout(() => setAway(true), READ_MS)
    return () => {
      window.clearTimeout(timer)
      remember("welcomed", "1")
    }
  }, [isShown])

  if (!isShown) return null

  const sessions = status.watched.reduce((sum, folder) => sum + folder.sessions, 0)
  const bytes = status.watched.reduce((sum, folder) => sum + folder.size_bytes, 0)
  const places = status.watched.map(({ path }) => seenLine(path)).join(", ")
  return (
    <aside
      aria-label="Welcome"
      className="mx-4 mt-3 mb-1 flex shrink-0 items-start gap-3 rounded-lg border border-line bg-surface py-2 pr-2 pl-4 md:mx-5"
    >
      <p className="min-w-0 flex-1 py-1 text-pretty text-ink-2">
        <strong className="font-semibold text-ink">
          {sessions === 0 ? "No session yet" : `${several(sessions, "session")} (${size(bytes)}) found`}
        </strong>{" "}
        in <code className="font-mono text-sm break-all">{places}</code>, {sessions === 0 ? "which is" : "and"} watched from now on.{" "}
        {riskInWords(status.at_risk)}{" "}
        <span className="hidden whitespace-nowrap md:inline">
          <Kbd>J</Kbd> <Kbd>K</Kbd> to move, <Kbd>{keyName("mod+k")}</Kbd> to jump, <Kbd>?</Kbd> for help.
        </span>
      </p>
      <IconButton
        label="Dismiss"
        onClick={() => setAway(true)}
      >
        <X />
      </IconButton>
    </aside>
  )
}
