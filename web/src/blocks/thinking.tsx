import { CutChars } from "./cut-chars"
import { SeenText } from "./seen-text"
import type { ThinkingBlock } from "./shapes"

/** The thinking of a model, unchanged. */
export function Thinking({ block }: { block: ThinkingBlock }) {
  return (
    <div className="thinking-text" dir="auto">
      {block.text ? <SeenText text={block.text} /> : `thought (${block.reason ?? "no text"})`}
      <CutChars chars={block.cut_chars} />
    </div>
  )
}
