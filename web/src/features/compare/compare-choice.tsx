import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useBackend } from "@/api/follow"
import { seenLine } from "@/blocks/text/seen"
import { PlaceLink } from "@/parts/place-link"
import { compareAddress } from "@/parts/places"
import { useAdvise } from "@/parts/use-advise"
import { EmptyState } from "@/ui/empty-state"
import { QueryField } from "@/ui/query-field"
import { Ago } from "@/ui/time"

const LISTED = 30

/** The choice of the conversation with which another one is compared. */
export default function CompareChoice({ a }: { a: string }) {
  const backend = useBackend()
  const advise = useAdvise()
  const [q, setQ] = useState("")
  const { data, error } = useQuery({
    queryKey: ["compare-choice", q],
    queryFn: ({ signal }) => backend.conversations({ q, limit: LISTED }, signal),
    placeholderData: (before) => before,
  })
  const others = data?.conversations.filter((each) => each.name !== a) ?? []
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-5 md:py-8">
        <h1 className="text-xl font-semibold tracking-tight">Compare with …</h1>
        <QueryField label="Filter" placeholder="Filter conversations" value={q} onQuery={setQ} advise={advise} autoFocus />
        {error === null ? null : (
          <p role="alert" className="text-failed">
            {seenLine(error.message)}
          </p>
        )}
        {data !== undefined && others.length === 0 ? <EmptyState title="No other conversation matches" /> : null}
        <ul className="flex flex-col">
          {others.map((each) => (
            <li key={each.name} className="border-b border-line">
              <PlaceLink href={compareAddress(a, each.name)} className="flex min-w-0 items-baseline gap-3 px-2 py-2 hover:bg-hover">
                <span className="min-w-0 flex-1 truncate">{seenLine(each.title) || each.id}</span>
                <span className="shrink-0 text-sm text-ink-3">{seenLine(each.workspace_name)}</span>
                <Ago iso={each.ended_at} className="shrink-0 text-sm text-ink-3" />
              </PlaceLink>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
