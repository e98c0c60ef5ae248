import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useBackend } from "@/api/follow"
import type { ConversationSummary } from "@/api/schema"
import { count, size } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { Button } from "@/ui/button"
import { DialogHeader } from "@/ui/dialog"
import { Ago } from "@/ui/time"

interface DeletingProps {
  conversation: ConversationSummary
  onClose: () => void
  onForgotten: () => void
}

/** Shows what would be deleted, and deletes it after a confirmation. */
export function Deleting({ conversation, onClose, onForgotten }: DeletingProps) {
  const backend = useBackend()
  const { name, title, id, ended_at, workspace_name } = conversation
  const leaving = useQuery({ queryKey: ["leaving", name], queryFn: ({ signal }) => backend.leaving(name, signal), gcTime: 0 })
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  const forget = async (lines: number) => {
    setBusy(true)
    try {
      await backend.forget(name, lines)
      onForgotten()
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
      setBusy(false)
      void leaving.refetch()
    }
  }
  const going = leaving.data
  const said = fault ?? leaving.error?.message ?? null
  return (
    <>
      <DialogHeader title="Delete this conversation?" onClose={onClose} />
      <div className="flex flex-col gap-3 p-4">
        <p className="font-medium break-words">{seenLine(title) || id}</p>
        <p className="text-ink-2">
          {seenLine(workspace_name)}, last active <Ago iso={ended_at} />
          {going === undefined ? "" : `, ${size(going.size_bytes)}, ${count(going.lines)} lines`}
          {going === undefined || going.side_files === 0 ? "" : `, ${count(going.side_files)} side files`}
        </p>
        <p className="text-ink-2">
          It is removed from Chorus for good and never kept again, with its title, tags and note. This cannot be undone. The
          client’s own file stays where it is{going?.sources.length === 1 ? ": " : "."}
          {going?.sources.length === 1 ? <code className="font-mono break-all">{seenLine(going.sources[0] ?? "")}</code> : null}
        </p>
        {said === null ? null : (
          <p role="alert" className="text-failed">
            {seenLine(said)}
          </p>
        )}
        <div className="flex gap-2">
          <Button kind="primary" disabled={going === undefined || isBusy} onClick={() => going && void forget(going.lines)}>
            {isBusy ? "Deleting …" : "Delete for good"}
          </Button>
          <Button data-autofocus kind="plain" onClick={onClose}>
            Keep it
          </Button>
        </div>
      </div>
    </>
  )
}
