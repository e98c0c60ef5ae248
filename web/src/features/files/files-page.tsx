import { useQuery } from "@tanstack/react-query"
import type { FileScope } from "@/api/backend"
import { useBackend } from "@/api/follow"
import { several } from "@/blocks/text/figures"
import { ConversationHeading } from "@/parts/conversation-heading"
import { useReread } from "@/parts/use-reread"
import { EmptyState } from "@/ui/empty-state"
import { ErrorState } from "@/ui/error-state"
import { Segments } from "@/ui/segments"
import { Skeleton } from "@/ui/skeleton"
import { FileList } from "./file-list"
import { FileView } from "./file-view"
import type { FilesPlace, GoToFiles } from "./place"

const SCOPES: readonly { value: FileScope; label: string }[] = [
  { value: "conversation", label: "This conversation" },
  { value: "workspace", label: "Whole workspace" },
]

/** The files that a conversation touched: a list and, for the chosen one, its versions and what changed. */
export default function FilesPage({ name, place, onGo }: { name: string; place: FilesPlace; onGo: GoToFiles }) {
  const backend = useBackend()
  const files = useQuery({
    queryKey: ["files", name, place.scope],
    queryFn: ({ signal }) => backend.files(name, place.scope, signal),
  })
  useReread("files", name)
  const chosen = files.data?.files.find((file) => file.path === place.file) ?? null
  const isListHidden = chosen !== null
  return (
    <div className="flex h-full flex-col">
      <ConversationHeading name={name} title="Files">
        {files.data === undefined ? null : (
          <span className="text-sm text-ink-3">
            {several(files.data.files.length + files.data.more, "file")}
          </span>
        )}
        <div className="ml-auto">
          <Segments
            label="Whose files"
            value={place.scope}
            options={SCOPES}
            onChange={(scope) => onGo({ ...place, scope, before: null, after: null })}
          />
        </div>
      </ConversationHeading>
      {files.data === undefined ? (
        <Pending error={files.error} onRetry={() => void files.refetch()} />
      ) : files.data.files.length === 0 ? (
        <EmptyState title="No files">
          <p>No tool read or changed a file here.</p>
        </EmptyState>
      ) : (
        <div className="flex min-h-0 flex-1">
          <nav
            aria-label="Files"
            className={`w-full overflow-y-auto border-line md:w-80 md:shrink-0 md:border-r ${isListHidden ? "max-md:hidden" : ""}`}
          >
            <FileList files={files.data.files} more={files.data.more} chosen={place.file} onChoose={(file) => onGo({ ...place, file, before: null, after: null })} />
          </nav>
          <div className={`min-w-0 flex-1 overflow-y-auto ${isListHidden ? "" : "max-md:hidden"}`}>
            {chosen === null ? (
              <EmptyState title={place.file === null ? "Choose a file" : "This file is not here"}>
                <p>Its versions and what changed between them are shown here.</p>
              </EmptyState>
            ) : (
              <FileView key={chosen.path} name={name} file={chosen} place={place} onGo={onGo} />
            )}
          </div>
        </div>
      )}
    </div>
  )
}

function Pending({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  if (error !== null) return <ErrorState title="The files cannot be shown" message={error.message} onRetry={onRetry} />
  return (
    <div role="status" aria-label="Reading the files" className="flex flex-col gap-3 px-4 py-6">
      <Skeleton className="h-5 w-1/2" />
      <Skeleton className="h-40" />
    </div>
  )
}
