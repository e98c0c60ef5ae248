import { CutChars } from "./cut-chars"
import { MarkdownText } from "./prose"
import type { PlanBlock } from "./shapes"

/** A plan in Markdown. */
export function Plan({ block }: { block: PlanBlock }) {
  return (
    <div className="plan">
      <MarkdownText text={block.markdown} />
      <CutChars chars={block.cut_chars} />
    </div>
  )
}
