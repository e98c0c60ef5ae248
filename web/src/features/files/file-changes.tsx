import { useQuery } from "@tanstack/react-query"
import { useBackend } from "@/api/follow"
import type { FileShown } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { SideBySide } from "@/blocks/side-by-side"
import { several } from "@/blocks/text/figures"
import { ErrorState } from "@/ui/error-state"
import { Skeleton } from "@/ui/skeleton"
import type { FilesPlace } from "./place"

interface FileChangesProps {
  name: string
  file: FileShown
  before: number
  after: number
  place: FilesPlace
}

/** What changed between two versions. */
export function FileChanges({ name, file, before, after, place }: FileChangesProps) {
  const backend = useBackend()
  const asked = { path: file.path, before, after, ignoresSpace: place.ignoresSpace, scope: place.scope }
  const changes = useQuery({
    // The number of versions is part of the key: a conversation that goes on may find out more about an old version.
    queryKey: ["file-diff", name, asked, file.versions.length],
    queryFn: ({ signal }) => backend.fileDiff(name, asked, signal),
    placeholderData: (known) => known,
  })
  if (changes.error !== null) {
    return <ErrorState title="These versions cannot be compared" message={changes.error.message} />
  }
  if (changes.data === undefined) return <Skeleton className="h-40" />
  const { diff, cut_lines } = changes.data
  if (diff.hunks.length === 0) {
    const but = place.ignoresSpace ? ", apart from white space" : ""
    return (
      <p className="text-ink-2">
        Nothing changed between these versions{but}.
      </p>
    )
  }
  return (
    <div>
      {place.view === "side" ? <SideBySide block={diff} /> : <BlockView block={diff} at={`file:${file.path}:${before}:${after}`} title={diff.path} />}
      {cut_lines === 0 ? null : <p className="py-2 text-sm text-ink-3">{several(cut_lines, "more line")} not shown; save the versions to compare all of it.</p>}
    </div>
  )
}
