import { Braces, Check, FileText, Heading, Link, X, type LucideIcon } from "lucide-react"
import { useEffect, useState } from "react"
import type { PageRow } from "@/api/schema"
import { IconButton } from "@/ui/button"
import { copyOf } from "./copies"
import { MessageFacts } from "./message-header"
import { useTranscript } from "./transcript-context"

/** What can be done with a row; seen when it is pointed at, focused or current. */
export function RowActions({
  row,
  isContinued,
  isCopied,
}: {
  row: PageRow
  isContinued: boolean
  /** Whether its link was just copied, by keyboard. */
  isCopied: boolean
}) {
  const { addressOf, openRaw } = useTranscript()
  const { id } = row.row
  const hasRecord = Object.hasOwn(row.places, id) || Object.keys(row.places).length > 0
  return (
    <div className="row-actions" role="group" aria-label="Actions">
      {isContinued && row.row.type === "message" ? <MessageFacts row={row.row} className="px-1.5" /> : null}
      {isCopied ? (
        <span role="status" className="flex h-7 items-center gap-1 px-1.5 text-sm text-running">
          <Check aria-hidden className="size-4" />
          Link copied
        </span>
      ) : (
        <CopyAction label="Copy link" keys="Y" icon={Link} text={() => addressOf(id)} />
      )}
      <CopyAction label="Copy as Markdown" icon={Heading} text={() => copyOf(row.row, "markdown")} />
      <CopyAction label="Copy as text" icon={FileText} text={() => copyOf(row.row, "text")} />
      {hasRecord ? (
        <IconButton label="Raw record" keys="R" onClick={() => openRaw(row, id)}>
          <Braces />
        </IconButton>
      ) : null}
    </div>
  )
}

/** Copies, and says so in its own place. */
export function CopyAction({ label, keys, icon: Icon, text }: { label: string; keys?: string; icon: LucideIcon; text: () => string }) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready")

  useEffect(() => {
    if (state === "ready") return
    const timer = window.setTimeout(() => setState("ready"), 1500)
    return () => window.clearTimeout(timer)
  }, [state])

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text())
      setState("copied")
    } catch {
      setState("failed")
    }
  }

  const words = state === "copied" ? "Copied" : state === "failed" ? "The browser refused to copy" : label
  return (
    <IconButton label={words} keys={state === "ready" ? keys : undefined} onClick={() => void copy()}>
      {state === "copied" ? <Check className="text-running" /> : state === "failed" ? <X className="text-failed" /> : <Icon />}
    </IconButton>
  )
}
