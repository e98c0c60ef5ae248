import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Download } from "lucide-react"
import { useState } from "react"
import { useBackend } from "@/api/follow"
import type { ConversationSummary } from "@/api/schema"
import { count, several, size } from "@/blocks/text/figures"
import { seen, seenLine } from "@/blocks/text/seen"
import { Button } from "@/ui/button"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { askedOf, type Choices, EVERYTHING } from "./choices"
import { FindingList } from "./finding-list"
import { ShareOptions } from "./share-options"

/** The dialog for sharing a conversation: what, what is hidden in it, how it will look, and how large it will be. */
export default function ShareDialog({ conversation, onClose }: { conversation: ConversationSummary; onClose: () => void }) {
  const backend = useBackend()
  const { name } = conversation
  const [choices, setChoices] = useState<Choices>(EVERYTHING)
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const asked = askedOf(choices)
  const preview = useQuery({
    queryKey: ["export", name, asked],
    queryFn: ({ signal }) => backend.exportPreview(name, asked, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const download = async (fileName: string) => {
    setBusy(true)
    try {
      save(await backend.exportFile(name, asked), fileName)
      setFault(null)
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }
  const made = preview.data
  const said = fault ?? preview.error?.message ?? null
  const isReady = made !== undefined && !preview.isPlaceholderData && preview.error === null
  return (
    <Dialog label="Share this conversation" onClose={onClose} className="max-w-3xl">
      <DialogHeader title="Share this conversation" onClose={onClose} />
      <div className="flex max-h-[80dvh] flex-col gap-4 overflow-y-auto p-4" role="region" aria-label="Export" tabIndex={0}>
        <p className="font-medium break-words">{seenLine(conversation.title) || conversation.id}</p>
        <ShareOptions choices={choices} onChoices={setChoices} />
        {choices.isRedacted ? (
          <FindingList findings={made?.findings ?? []} isRead={made !== undefined} choices={choices} onChoices={setChoices} />
        ) : (
          <p className="rounded-md bg-waiting-soft px-3 py-2 text-waiting">Nothing is hidden: the file contains every secret of the conversation.</p>
        )}
        {made?.missing.map((line) => (
          <p key={line} className="text-sm text-ink-2">
            Left out: {seenLine(line)}
          </p>
        ))}
        <section aria-label="Preview" className="flex flex-col gap-1">
          <h3 className="text-sm font-medium text-ink-2">Preview</h3>
          <pre tabIndex={0} role="region" aria-label="The beginning of the file" className="max-h-56 overflow-auto rounded-md border border-line bg-surface p-3 font-mono text-xs whitespace-pre-wrap">
            {made === undefined ? "Reading …" : seen(made.beginning)}
          </pre>
        </section>
        {said === null ? null : (
          <p role="alert" className="text-failed">
            {seenLine(said)}
          </p>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line p-4">
        <Button kind="primary" disabled={!isReady || isBusy} onClick={() => made && void download(made.file_name)}>
          <Download aria-hidden />
          {isBusy ? "Making the file …" : "Download"}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        <p role="status" className="min-w-0 text-sm text-ink-2">
          {made === undefined || !isReady ? "Reading the conversation …" : `${made.file_name}, ${size(made.size_bytes)}, ${several(made.records, "record")}`}
          {made === undefined || made.left_out === 0 ? "" : `, ${count(made.left_out)} left out`}
        </p>
      </div>
    </Dialog>
  )
}

/** Saves a file as the browser saves downloads. */
function save(data: Blob, fileName: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(data)
  link.download = fileName
  link.click()
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
