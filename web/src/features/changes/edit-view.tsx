import { Undo2 } from "lucide-react"
import type { EditShown } from "@/api/schema"
import { SeenText } from "@/blocks/seen-text"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { addressOf } from "@/parts/places"
import { PlaceLink } from "@/parts/place-link"
import { Button } from "@/ui/button"
import { Ago } from "@/ui/time"
import { EditedFileView } from "./edited-file-view"
import { editInWords, type Undoing } from "./in-words"
import type { ChangesPlace } from "./place"

interface EditViewProps {
  name: string
  edit: EditShown
  view: ChangesPlace["view"]
  isOpenFirst: boolean
  onUndo: (undoing: Undoing) => void
}

/** One call and the files that it changed. */
export function EditView({ name, edit, view, isOpenFirst, onUndo }: EditViewProps) {
  const words = editInWords(edit)
  const first = edit.files[0]
  const of = edit.files.length + edit.more === 1 && first !== undefined ? seenLine(first.path) : several(edit.files.length + edit.more, "file")
  return (
    <article aria-label={`${words}: ${of}`} className="rounded-md border border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-2">
        <strong className="text-ink">{words}</strong>
        <EditFacts edit={edit} />
        <CallLink name={name} edit={edit} />
        {edit.kind === "switch" ? (
          <span className="text-ink-3">by git, not by the agent</span>
        ) : (
          <Button
            kind="quiet"
            size="sm"
            className="ml-auto"
            aria-label={`Undo: ${words}, ${of}`}
            onClick={() => onUndo({ asked: { commit: edit.commit, turn: null, files: null }, what: edit.kind === "undo" ? "this undo" : "this change" })}
          >
            <Undo2 aria-hidden />
            Undo
          </Button>
        )}
      </div>
      {edit.files.map((file) => (
        <EditedFileView key={file.key} name={name} commit={edit.commit} file={file} view={view} isOpenFirst={isOpenFirst} />
      ))}
      {edit.more === 0 ? null : <p className="px-1 py-1 text-sm text-ink-3">{several(edit.more, "more file")} not shown</p>}
      {edit.skipped.length === 0 ? null : (
        <details className="px-1 py-1 text-sm text-ink-2">
          <summary className="cursor-pointer">{several(edit.skipped.length, "file")} left out</summary>
          <ul className="list-disc pl-5">
            {edit.skipped.map((reason, index) => (
              <li key={index} className="break-all">
                <SeenText text={reason} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </article>
  )
}

/** Who made the change, when, and what is not certain about it. */
export function EditFacts({ edit }: { edit: EditShown }) {
  return (
    <>
      {edit.agent === "" ? null : <span>by a sub-agent</span>}
      <Ago iso={edit.time} />
      {edit.feed === "file" || edit.feed === "stream" ? edit.kind === "undo" || edit.kind === "switch" ? null : <span className="text-ink-3">seen afterwards</span> : null}
      {edit.others === 0 ? null : <span className="text-ink-3">may come from another conversation</span>}
    </>
  )
}

/** The link to the call in the transcript. */
export function CallLink({ name, edit }: { name: string; edit: EditShown }) {
  if (edit.call === "") return null
  return (
    <PlaceLink href={addressOf(name, { at: `call:${edit.call}` })} className="text-accent hover:underline">
      Go to the call
    </PlaceLink>
  )
}
