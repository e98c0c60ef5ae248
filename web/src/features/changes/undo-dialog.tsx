import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useBackend } from "@/api/follow"
import type { UndoFile, UndoPreview, UndoResult } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { SeenText } from "@/blocks/seen-text"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { Button } from "@/ui/button"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { Skeleton } from "@/ui/skeleton"
import { isOffered, outcomeInWords, type Undoing } from "./in-words"

interface UndoDialogProps {
  name: string
  undoing: Undoing
  onDone: () => void
  onClose: () => void
}

/** Shows what undoing would do to each file, does it after a confirmation, and shows what was done. */
export function UndoDialog({ name, undoing, onDone, onClose }: UndoDialogProps) {
  const backend = useBackend()
  const preview = useQuery({
    queryKey: ["undo-preview", name, undoing.asked],
    queryFn: ({ signal }) => backend.undoPreview(name, undoing.asked, signal),
    gcTime: 0,
    // What a person decides about must not change under their eyes.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<UndoResult | null>(null)

  const files = preview.data?.files ?? []
  // A file that somebody changed since is merged only if the person asks for it.
  const isChosen = (file: UndoFile) => isOffered(file) && (chosen.get(file.key) ?? file.outcome !== "merged")
  const wanted = files.filter(isChosen)
  const undo = async ({ digest }: UndoPreview) => {
    setBusy(true)
    setFault(null)
    try {
      setResult(await backend.undo(name, { asked: undoing.asked, digest, files: wanted.map((file) => file.key) }))
      onDone()
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
      void preview.refetch()
    }
    setBusy(false)
  }
  const said = fault ?? preview.error?.message ?? null
  return (
    <Dialog label={`Undo ${undoing.what}`} onClose={onClose} className="max-w-3xl">
      <DialogHeader title={result === null ? `Undo ${undoing.what}?` : "Undone"} onClose={onClose} />
      <div className="flex max-h-[calc(100dvh-5rem)] flex-col gap-3 overflow-y-auto p-4">
        {result !== null ? (
          <Done result={result} onClose={onClose} />
        ) : (
          <>
            {preview.data === undefined ? preview.error === null ? <Skeleton className="h-24" /> : null : <Preview files={files} isChosen={isChosen} onChoose={(key, is) => setChosen(new Map(chosen).set(key, is))} />}
            {said === null ? null : (
              <p role="alert" className="text-failed">
                {seenLine(said)}
              </p>
            )}
            <div className="flex flex-wrap items-center gap-2">
              <Button kind="primary" disabled={wanted.length === 0 || isBusy || preview.isFetching} onClick={() => preview.data && void undo(preview.data)}>
                {isBusy ? "Undoing …" : `Change ${several(wanted.length, "file")}`}
              </Button>
              <Button data-autofocus kind="plain" onClick={onClose}>
                Cancel
              </Button>
              <span className="text-sm text-ink-3">The files are stored before and after, so this can be undone, too.</span>
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}

function Preview({ files, isChosen, onChoose }: { files: readonly UndoFile[]; isChosen: (file: UndoFile) => boolean; onChoose: (key: string, is: boolean) => void }) {
  if (files.length === 0) return <p className="text-ink-2">No file was changed there.</p>
  return (
    <ul aria-label="What happens to the files" className="flex flex-col gap-2">
      {files.map((file) => (
        <li key={file.key} className="flex flex-col gap-1 rounded-md border border-line px-3 py-2">
          <label className="flex items-baseline gap-2">
            <input type="checkbox" disabled={!isOffered(file)} checked={isChosen(file)} onChange={(event) => onChoose(file.key, event.target.checked)} />
            <OneFile file={file} isDone={false} />
          </label>
          {file.diff === null || file.diff.hunks.length === 0 ? null : (
            <details className="text-sm">
              <summary className="cursor-pointer text-ink-2">How it changes</summary>
              <BlockView block={file.diff} at={`undo:${file.key}`} title={file.path} />
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}

function Done({ result, onClose }: { result: UndoResult; onClose: () => void }) {
  const changed = result.files.filter(isOffered).length
  return (
    <>
      <p role="status">{several(changed, "file")} changed.</p>
      <ul aria-label="What was done" className="flex flex-col gap-1">
        {result.files.map((file) => (
          <li key={file.key}>
            <OneFile file={file} isDone />
          </li>
        ))}
      </ul>
      <div>
        <Button data-autofocus kind="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </>
  )
}

function OneFile({ file, isDone }: { file: UndoFile; isDone: boolean }) {
  return (
    <span className="min-w-0 break-words">
      <span className="font-mono text-sm font-medium break-all">
        <SeenText text={file.path} />
      </span>{" "}
      <span className={file.outcome === "conflict" || file.outcome === "failed" ? "text-failed" : "text-ink-2"}>{outcomeInWords(file, isDone)}</span>
    </span>
  )
}
