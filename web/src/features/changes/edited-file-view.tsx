import { useQuery } from "@tanstack/react-query"
import { ChevronRight } from "lucide-react"
import { type ReactNode, useState } from "react"
import { useBackend } from "@/api/follow"
import type { EditedFile } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { SeenText } from "@/blocks/seen-text"
import { SideBySide } from "@/blocks/side-by-side"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { blameAddressOf, nameParts } from "@/parts/places"
import { PlaceLink } from "@/parts/place-link"
import { cx } from "@/ui/cx"
import { ErrorState } from "@/ui/error-state"
import { Skeleton } from "@/ui/skeleton"
import { LineCounts } from "./line-counts"
import type { ChangesPlace } from "./place"

interface EditedFileViewProps {
  name: string
  commit: string
  file: EditedFile
  view: ChangesPlace["view"]
  isOpenFirst: boolean
  /** The name of the line, instead of the path. */
  title?: ReactNode
}

/** One file of one edit: a line that opens its difference. */
export function EditedFileView({ name, commit, file, view, isOpenFirst, title }: EditedFileViewProps) {
  const [isOpen, setOpen] = useState(isOpenFirst)
  return (
    <div>
      <div className="flex items-center gap-1">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-w-0 flex-1 items-center gap-1.5 rounded-md px-1 py-1 text-left hover:bg-hover"
      >
        <ChevronRight aria-hidden className={cx("size-3.5 shrink-0 text-ink-3 transition-transform", isOpen && "rotate-90")} />
        {title ?? (
          <span className="min-w-0 font-mono text-sm break-all">
            <SeenText text={file.path} />
          </span>
        )}
        {file.change === "changed" ? null : <span className="shrink-0 text-sm text-ink-3">{file.change}</span>}
        <span className="ml-auto">
          <LineCounts added={file.added} removed={file.removed} />
        </span>
      </button>
      {file.change === "deleted" ? null : (
        <PlaceLink href={blameAddressOf(nameParts(name).workspace, file.key)} className="shrink-0 rounded-md px-1 py-1 text-sm text-accent hover:underline">
          Blame<span className="sr-only"> of {seenLine(file.path)}</span>
        </PlaceLink>
      )}
      </div>
      {isOpen ? <EditDiffView name={name} commit={commit} file={file} view={view} /> : null}
    </div>
  )
}

function EditDiffView({ name, commit, file, view }: Pick<EditedFileViewProps, "name" | "commit" | "file" | "view">) {
  const backend = useBackend()
  const found = useQuery({
    queryKey: ["edit-diff", name, commit, file.key],
    queryFn: ({ signal }) => backend.editDiff(name, commit, file.key, signal),
    // A snapshot never changes.
    staleTime: Infinity,
  })
  if (found.error !== null) {
    return <ErrorState title="This change cannot be shown" message={found.error.message} onRetry={() => void found.refetch()} />
  }
  if (found.data === undefined) return <Skeleton className="my-1 h-16" />
  const { diff, notes, cut_lines } = found.data
  return (
    <div className="py-1">
      {notes.map((note) => (
        <p key={note} className="px-1 py-1 text-sm text-ink-2">
          {note}
        </p>
      ))}
      {diff.hunks.length === 0 ? (
        notes.length === 0 ? <p className="px-1 py-1 text-sm text-ink-2">The file is empty.</p> : null
      ) : view === "side" ? (
        <SideBySide block={diff} />
      ) : (
        <BlockView block={diff} at={`edit:${commit}:${file.key}`} title={diff.path} />
      )}
      {cut_lines === 0 ? null : <p className="px-1 py-1 text-sm text-ink-3">{several(cut_lines, "more line")} not shown; `chorus diff` prints all.</p>}
    </div>
  )
}
