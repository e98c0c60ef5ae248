import { Braces, OctagonX } from "lucide-react"
import type { PageRow } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Button } from "@/ui/button"
import { recordsOf } from "./records"
import { useTranscript } from "../transcript-context"

/** Shown for a row that cannot be rendered: the reason, and links to its records. */
export function FailedRow({ row, error, onRetry }: { row: PageRow; error: Error; onRetry: () => void }) {
  const { openRaw } = useTranscript()
  const records = recordsOf(row)
  return (
    <article id={`row-${row.row.id}`} data-row={row.row.id} data-type={row.row.type} data-failed="row" tabIndex={-1} className="row">
      <div className="message-body">
        <div className="error-card" role="note">
          <OctagonX aria-hidden />
          <div className="min-w-0 break-words">
            <p>This row cannot be drawn: {seenLine(error.message)}</p>
            {records.map(({ place }) => (
              <p key={`${place.stream}@${place.at}`} className="font-mono text-sm" dir="ltr">
                {seenLine(place.stream)} at {place.at.toLocaleString("en-US")}
              </p>
            ))}
            <p className="flex flex-wrap gap-1 pt-1">
              {records.length === 0 ? null : (
                <Button size="sm" onClick={() => openRaw(row, row.row.id)}>
                  <Braces aria-hidden />
                  Raw record
                </Button>
              )}
              <Button size="sm" onClick={onRetry}>
                Try again
              </Button>
            </p>
          </div>
        </div>
      </div>
    </article>
  )
}
