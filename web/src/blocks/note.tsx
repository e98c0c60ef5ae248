import { Info, OctagonX, TriangleAlert } from "lucide-react"
import { cx } from "@/ui/cx"
import { CutChars } from "./cut-chars"
import { MoreLines } from "./more-lines"
import type { NoteBlock } from "./shapes"
import { SeenText } from "./seen-text"
import { countLines, firstLines, trimmed } from "./text/lines"
import { useCut } from "./use-cut"

const LOOKS = {
  info: { icon: Info, look: "" },
  warning: { icon: TriangleAlert, look: "note-warning" },
  error: { icon: OctagonX, look: "note-error" },
} as const

/** A note about what happened, from Chorus or from the client. */
export function Note({ block, at }: { block: NoteBlock; at: string }) {
  const text = trimmed(block.text)
  const cut = useCut(at, countLines(text), block.is_bulk ? 3 : 12)
  const { icon: Icon, look } = LOOKS[block.level]
  return (
    <div className={cx("note", look)}>
      {block.level === "info" ? null : <Icon aria-hidden className="mt-[3px] size-3.5 shrink-0" />}
      <div className="min-w-0 flex-1">
        <p className="break-words whitespace-pre-wrap" dir="auto">
          <SeenText text={cut.left > 0 ? firstLines(text, cut.head) : text} />
        </p>
        <MoreLines cut={cut} />
        <CutChars chars={block.cut_chars} />
      </div>
    </div>
  )
}
