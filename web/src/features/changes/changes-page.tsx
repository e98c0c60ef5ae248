import { useQuery } from "@tanstack/react-query"
import { Undo2 } from "lucide-react"
import { useState } from "react"
import { useBackend } from "@/api/follow"
import type { Changes } from "@/api/schema"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { ConversationHeading } from "@/parts/conversation-heading"
import { useReread } from "@/parts/use-reread"
import { Button } from "@/ui/button"
import { EmptyState } from "@/ui/empty-state"
import { ErrorState } from "@/ui/error-state"
import { Segments } from "@/ui/segments"
import { Skeleton } from "@/ui/skeleton"
import { Words } from "@/ui/words"
import { FileEditsView } from "./file-edits-view"
import { editsByFile, filesInWords, type Undoing } from "./in-words"
import type { ChangesPlace, GoToChanges } from "./place"
import { TurnView } from "./turn-view"
import { UndoDialog } from "./undo-dialog"

const ORDERS: readonly { value: ChangesPlace["by"]; label: string }[] = [
  { value: "turn", label: "By turn" },
  { value: "file", label: "By file" },
]
const VIEWS: readonly { value: ChangesPlace["view"]; label: string }[] = [
  { value: "unified", label: "Unified" },
  { value: "side", label: "Side by side" },
]
/** Up to this number of differences all are open at first; each costs a request. */
const MAX_OPEN = 30

/** What the agents of a conversation changed in files, as differences, with undo. */
export default function ChangesPage({ name, place, onGo }: { name: string; place: ChangesPlace; onGo: GoToChanges }) {
  const backend = useBackend()
  const changes = useQuery({ queryKey: ["changes", name], queryFn: ({ signal }) => backend.changes(name, signal) })
  const [undoing, setUndoing] = useState<Undoing | null>(null)
  const reread = useReread("changes", name)
  const edits = changes.data?.turns.flatMap((turn) => turn.edits) ?? []
  return (
    <div className="flex h-full flex-col">
      <ConversationHeading name={name} title="Changes">
        {edits.length === 0 ? null : (
          <>
            <span className="text-sm text-ink-3">{filesInWords(edits)}</span>
            <div className="ml-auto flex flex-wrap items-center gap-2">
              <Segments label="Order" value={place.by} options={ORDERS} onChange={(by) => onGo({ ...place, by })} />
              <Segments label="View" value={place.view} options={VIEWS} onChange={(view) => onGo({ ...place, view })} />
              <Button kind="plain" size="sm" onClick={() => setUndoing({ asked: { commit: null, turn: null, files: null }, what: "everything" })}>
                <Undo2 aria-hidden />
                Undo everything
              </Button>
            </div>
          </>
        )}
      </ConversationHeading>
      <div className="min-h-0 flex-1 overflow-y-auto" role="region" aria-label="Changes of files" tabIndex={0}>
        {changes.data === undefined ? (
          <Pending error={changes.error} onRetry={() => void changes.refetch()} />
        ) : edits.length === 0 ? (
          <EmptyState title="No changes">
            <p>
              <Words text={changes.data.hint === "" ? "No agent changed a file here, as far as snapshots say." : seenLine(changes.data.hint)} />
            </p>
          </EmptyState>
        ) : (
          <div className="mx-auto flex max-w-5xl flex-col gap-6 px-4 py-4">
            <List name={name} changes={changes.data} place={place} onUndo={setUndoing} />
            {changes.data.more === 0 ? null : <p className="text-sm text-ink-3"><Words text={`${several(changes.data.more, "more change")} not shown; \`chorus history\` lists them.`} /></p>}
          </div>
        )}
      </div>
      {undoing === null ? null : <UndoDialog name={name} undoing={undoing} onDone={reread} onClose={() => setUndoing(null)} />}
    </div>
  )
}

interface ListProps {
  name: string
  changes: Changes
  place: ChangesPlace
  onUndo: (undoing: Undoing) => void
}

function List({ name, changes, place: { by, view }, onUndo }: ListProps) {
  const count = changes.turns.reduce((sum, turn) => sum + turn.edits.reduce((all, edit) => all + edit.files.length, 0), 0)
  const isOpenFirst = count <= MAX_OPEN
  if (by === "file") {
    return editsByFile(changes.turns).map((file) => (
      <FileEditsView key={file.key} name={name} file={file} view={view} isOpenFirst={isOpenFirst} onUndo={onUndo} />
    ))
  }
  return changes.turns.map((turn) => (
    <TurnView key={turn.is_undo ? turn.edits[0]?.commit : turn.turn} name={name} turn={turn} view={view} isOpenFirst={isOpenFirst} onUndo={onUndo} />
  ))
}

function Pending({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  if (error !== null) return <ErrorState title="The changes cannot be shown" message={error.message} onRetry={onRetry} />
  return (
    <div role="status" aria-label="Reading the changes" className="flex flex-col gap-3 px-4 py-6">
      <Skeleton className="h-5 w-1/2" />
      <Skeleton className="h-40" />
    </div>
  )
}
