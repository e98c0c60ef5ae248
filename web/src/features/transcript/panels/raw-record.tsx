import { useQuery } from "@tanstack/react-query"
import { Download } from "lucide-react"
import { useState } from "react"
import { useBackend } from "@/api/follow"
import type { PageRow, RawRecord as Raw } from "@/api/schema"
import { JsonText } from "@/blocks/json"
import { size } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { CopyButton } from "@/ui/copy-button"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { ErrorState } from "@/ui/error-state"
import { PanelGuard } from "@/ui/panel-guard"
import { Skeleton } from "@/ui/skeleton"
import { laidOut } from "./laid-out"
import { recordsOf } from "../rows/records"

/** The records behind a row, as they were captured, each with its place. */
export function RawRecordSheet({ name, row, id, onClose }: { name: string; row: PageRow; id: string; onClose: () => void }) {
  const records = recordsOf(row)
  const [chosen, setChosen] = useState(() => records.findIndex((record) => record.ids.includes(id)))
  const record = records[chosen] ?? records[0]
  return (
    <Dialog label="Raw record" onClose={onClose} className="sheet">
      <div className="flex h-full flex-col">
        <DialogHeader title="Raw record" onClose={onClose} />
        {records.length > 1 ? (
          <nav className="record-tabs" aria-label="Records of this row">
            {records.map((each, index) => (
              <button
                key={`${each.place.stream}@${each.place.at}`}
                type="button"
                aria-pressed={each === record}
                onClick={() => setChosen(index)}
              >
                {each.label}
              </button>
            ))}
          </nav>
        ) : null}
        {record ? (
          <PanelGuard name="The record" of={record}>
            <Record key={`${record.place.stream}@${record.place.at}`} name={name} place={record.place} />
          </PanelGuard>
        ) : null}
      </div>
    </Dialog>
  )
}

function Record({ name, place }: { name: string; place: { stream: string; at: number } }) {
  const backend = useBackend()
  const { data, error, refetch } = useQuery({
    queryKey: ["record", name, place.stream, place.at],
    queryFn: ({ signal }) => backend.record(name, place, signal),
  })
  if (error) return <ErrorState title="The record cannot be read" message={error.message} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton className="m-4 h-64" />
  return (
    <>
      <div className="record-facts">
        <p className="min-w-0 flex-1">
          <span className="block truncate font-mono text-[length:max(0.71875rem,var(--smallest))] text-ink" dir="ltr">
            {seenLine(data.stream)}
          </span>
          byte {data.offset.toLocaleString("en-US")} · {size(data.size_bytes)}
          {data.is_cut ? " · only its beginning is shown" : ""}
        </p>
        <CopyButton text={data.text} label="Copy record" />
        <a className="download" href={backend.recordUrl(name, place)} download aria-label="Download the exact bytes">
          <Download aria-hidden />
        </a>
      </div>
      <div className="record-text">
        <Text raw={data} />
      </div>
    </>
  )
}

function Text({ raw }: { raw: Raw }) {
  return <JsonText text={laidOut(raw.text)} at={`${raw.stream}@${raw.offset}`} />
}
