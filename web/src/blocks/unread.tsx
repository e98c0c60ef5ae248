import { FileWarning } from "lucide-react"
import { CutChars } from "./cut-chars"
import { MoreLines } from "./more-lines"
import { SeenText } from "./seen-text"
import type { UnreadBlock } from "./shapes"
import { countLines, firstLines } from "./text/lines"
import { seenLine } from "./text/seen"
import { useCut } from "./use-cut"

/** Bytes that could not be read: the reason, their place, and their beginning. They are stored unchanged. */
export function Unread({ block, at }: { block: UnreadBlock; at: string }) {
  const cut = useCut(at, countLines(block.text), 4)
  return (
    <div className="box box-failed">
      <div className="box-title" data-tone="failed">
        <FileWarning aria-hidden className="size-3.5 shrink-0" />
        <span className="min-w-0 break-words">Could not be read: {seenLine(block.reason)}</span>
      </div>
      <pre className="code-box output unread-text" tabIndex={0} role="group" aria-label="How the bytes begin">
        <SeenText text={cut.left > 0 ? firstLines(block.text, cut.head) : block.text} />
      </pre>
      <MoreLines cut={cut} />
      <CutChars chars={block.cut_chars} />
      <p className="side-file">
        <span className="break-all">{seenLine(block.place)}</span>
      </p>
    </div>
  )
}
