import { Undo2 } from "lucide-react"
import { SeenText } from "@/blocks/seen-text"
import { seenLine } from "@/blocks/text/seen"
import { Button } from "@/ui/button"
import { CallLink, EditFacts } from "./edit-view"
import { EditedFileView } from "./edited-file-view"
import { editInWords, type FileEdits, sums, type Undoing } from "./in-words"
import { LineCounts } from "./line-counts"
import type { ChangesPlace } from "./place"

interface FileEditsViewProps {
  name: string
  file: FileEdits
  view: ChangesPlace["view"]
  isOpenFirst: boolean
  onUndo: (undoing: Undoing) => void
}

/** One file with everything that the conversation did to it. */
export function FileEditsView({ name, file, view, isOpenFirst, onUndo }: FileEditsViewProps) {
  const own = file.edits.filter((each) => each.edit.kind !== "switch")
  return (
    <section aria-label={`Changes of ${seenLine(file.path)}`} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="min-w-0 font-mono text-base font-semibold break-all">
          <SeenText text={file.path} />
        </h2>
        <span className="ml-auto">
          <LineCounts {...sums(own.map((each) => each.file))} />
        </span>
        {own.length === 0 ? null : (
          <Button
            kind="plain"
            size="sm"
            aria-label={`Undo all changes of ${seenLine(file.path)}`}
            onClick={() => onUndo({ asked: { commit: null, turn: null, files: [file.key] }, what: "all changes of this file" })}
          >
            <Undo2 aria-hidden />
            Undo
          </Button>
        )}
      </div>
      <div className="rounded-md border border-line px-3 py-2">
        {file.edits.map(({ edit, file: one }) => (
          <div key={edit.commit}>
            <EditedFileView
              name={name}
              commit={edit.commit}
              file={one}
              view={view}
              isOpenFirst={isOpenFirst}
              title={<span className="shrink-0 text-sm font-medium">{editInWords(edit)}</span>}
            />
            <p className="flex flex-wrap gap-x-3 px-1 pb-1 pl-6 text-sm text-ink-2">
              <EditFacts edit={edit} />
              <CallLink name={name} edit={edit} />
            </p>
          </div>
        ))}
      </div>
    </section>
  )
}
