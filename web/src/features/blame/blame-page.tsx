import { useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { useBackend } from "@/api/follow"
import type { Blame } from "@/api/schema"
import { SeenText } from "@/blocks/seen-text"
import { several } from "@/blocks/text/figures"
import { seen } from "@/blocks/text/seen"
import { fileKeyOf } from "@/parts/places"
import { Button } from "@/ui/button"
import { EmptyState } from "@/ui/empty-state"
import { ErrorState } from "@/ui/error-state"
import { Skeleton } from "@/ui/skeleton"
import { BlamedLines } from "./blamed-lines"
import type { BlamePlace, GoToBlame } from "./place"

/** A file of a workspace, each line with the prompt that wrote it. */
export default function BlamePage({ place, onGo }: { place: BlamePlace; onGo: GoToBlame }) {
  const backend = useBackend()
  const { workspace, file, revision } = place
  const blame = useQuery({
    queryKey: ["blame", workspace, file, revision],
    queryFn: ({ signal }) => backend.blame(workspace, file, revision, signal),
    enabled: file !== "",
    retry: false,
  })
  return (
    <div className="flex h-full flex-col">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5">
        <h1 className="text-md font-semibold">Blame</h1>
        {blame.data === undefined ? null : <Summary blame={blame.data} />}
        <Choice key={`${file} ${revision}`} place={place} onGo={onGo} />
      </header>
      {file === "" ? (
        <EmptyState title="Choose a file">
          <p>Write the path of a file of this workspace above.</p>
        </EmptyState>
      ) : blame.data === undefined ? (
        <Pending error={blame.error} onRetry={() => void blame.refetch()} />
      ) : blame.data.lines === 0 ? (
        <EmptyState title="The file is empty" />
      ) : (
        <BlamedLines key={`${blame.data.key} ${blame.data.revision}`} blame={blame.data} place={place} />
      )}
    </div>
  )
}

function Summary({ blame }: { blame: Blame }) {
  return (
    <p className="flex min-w-0 flex-wrap items-baseline gap-x-3 text-sm text-ink-3">
      <span className="min-w-0 font-mono break-all text-ink">
        <SeenText text={blame.path} />
      </span>
      {blame.revision === "" ? null : <span className="font-mono">{blame.revision.slice(0, 12)}</span>}
      <span>
        {several(blame.lines, "line")}, {blame.lines_by_agents.toLocaleString()} by agents
      </span>
    </p>
  )
}

/** The fields in which a reader names another file or another commit. */
function Choice({ place, onGo }: { place: BlamePlace; onGo: GoToBlame }) {
  const [path, setPath] = useState(() => readable(place.file))
  const [revision, setRevision] = useState(place.revision)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A path that cannot be written as text stays as the address named it.
    const file = path === readable(place.file) ? place.file : fileKeyOf(path.trim())
    onGo({ ...place, file, revision: revision.trim(), line: null })
  }
  const look = "h-7 min-w-0 rounded-md border border-line-strong bg-surface px-2 text-ink"
  return (
    <form onSubmit={submit} className="flex min-w-0 flex-wrap items-center gap-2 text-sm text-ink-2 sm:ml-auto">
      <label className="inline-flex min-w-0 items-center gap-1.5">
        File
        <input value={path} onChange={(event) => setPath(event.target.value)} spellCheck={false} className={`${look} w-48 font-mono`} />
      </label>
      <label className="inline-flex min-w-0 items-center gap-1.5">
        Commit
        <input value={revision} onChange={(event) => setRevision(event.target.value)} placeholder="now" spellCheck={false} className={`${look} w-24 font-mono`} />
      </label>
      <Button kind="plain" size="sm" type="submit">
        Show
      </Button>
    </form>
  )
}

function readable(key: string): string {
  try {
    return seen(decodeURIComponent(key))
  } catch {
    return key
  }
}

function Pending({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  if (error !== null) return <ErrorState title="This file cannot be shown" message={error.message} onRetry={onRetry} />
  return (
    <div role="status" aria-label="Reading the file" className="flex flex-col gap-3 px-4 py-6">
      <Skeleton className="h-5 w-1/2" />
      <Skeleton className="h-40" />
    </div>
  )
}
