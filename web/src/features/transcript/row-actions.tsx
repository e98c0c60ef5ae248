import { Braces, Check, FileText, GitFork, Heading, Link } from "lucide-react"
import type { PageRow } from "@/api/schema"
import { IconButton } from "@/ui/button"
import { CopyButton } from "@/ui/copy-button"
import { copyOf } from "./copies"
import { forkPoint } from "./fork-point"
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
  const { addressOf, fork, openRaw } = useTranscript()
  const { id } = row.row
  const hasRecord = Object.keys(row.places).length > 0
  return (
    <div className="row-actions" role="group" aria-label="Actions">
      {isContinued && row.row.type === "message" ? <MessageFacts row={row.row} className="px-1.5" /> : null}
      {isCopied ? (
        <span role="status" className="flex h-7 items-center gap-1 px-1.5 text-sm text-running">
          <Check aria-hidden className="size-4" />
          Link copied
        </span>
      ) : (
        <CopyButton label="Copy link" keys="Y" icon={Link} text={() => addressOf(id)} />
      )}
      <CopyButton label="Copy as Markdown" icon={Heading} text={() => copyOf(row.row, "markdown")} />
      <CopyButton label="Copy as text" icon={FileText} text={() => copyOf(row.row, "text")} />
      {forkPoint(row) === null ? null : (
        <IconButton label="Fork from here" keys="F" onClick={() => fork(row)}>
          <GitFork />
        </IconButton>
      )}
      {hasRecord ? (
        <IconButton label="Raw record" keys="R" onClick={() => openRaw(row, id)}>
          <Braces />
        </IconButton>
      ) : null}
    </div>
  )
}
