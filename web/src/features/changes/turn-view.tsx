import { Undo2 } from "lucide-react"
import type { EditedTurn } from "@/api/schema"
import { SeenText } from "@/blocks/seen-text"
import { addressOf } from "@/parts/places"
import { PlaceLink } from "@/parts/place-link"
import { Button } from "@/ui/button"
import { EditView } from "./edit-view"
import { filesInWords, sums, turnInWords, type Undoing } from "./in-words"
import { LineCounts } from "./line-counts"
import type { ChangesPlace } from "./place"

interface TurnViewProps {
  name: string
  turn: EditedTurn
  view: ChangesPlace["view"]
  isOpenFirst: boolean
  onUndo: (undoing: Undoing) => void
}

/** One turn: its prompt, and the calls that changed files. */
export function TurnView({ name, turn, view, isOpenFirst, onUndo }: TurnViewProps) {
  const title = turnInWords(turn)
  const own = turn.edits.filter((edit) => edit.kind !== "switch")
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-base font-semibold">{title}</h2>
        {turn.prompt === "" ? null : (
          <PlaceLink href={addressOf(name, { at: turn.prompt_at })} className="min-w-0 basis-40 grow truncate text-ink-2 hover:text-ink hover:underline">
            <SeenText text={turn.prompt} />
          </PlaceLink>
        )}
        <span className="ml-auto flex items-center gap-3 text-sm text-ink-3">
          {filesInWords(own)}
          <LineCounts {...sums(own.flatMap((edit) => edit.files))} />
        </span>
        {turn.is_undo || own.length === 0 ? null : (
          <Button kind="plain" size="sm" onClick={() => onUndo({ asked: { commit: null, turn: turn.turn, files: null }, what: title.toLowerCase() })}>
            <Undo2 aria-hidden />
            Undo {title.toLowerCase()}
          </Button>
        )}
      </div>
      {turn.edits.map((edit) => (
        <EditView key={edit.commit} name={name} edit={edit} view={view} isOpenFirst={isOpenFirst} onUndo={onUndo} />
      ))}
    </section>
  )
}
