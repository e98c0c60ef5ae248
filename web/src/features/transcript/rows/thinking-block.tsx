import { Brain, ChevronRight } from "lucide-react"
import { useFold } from "@/blocks/folds"
import type { ThinkingBlock as Block } from "@/blocks/shapes"
import { seenLine } from "@/blocks/text/seen"
import { Thinking } from "@/blocks/thinking"

const PREVIEW = 200

/** The thinking of a model: one line until the reader opens it; if the text is missing, the reason. */
export function ThinkingBlock({ block, at }: { block: Block; at: string }) {
  const [isOpen, put] = useFold("thinking", at, false)
  if (!block.text) {
    return (
      <p className="thinking-line" data-empty>
        <Brain aria-hidden />
        <span>Thought{block.reason ? ` (${block.reason})` : ""}</span>
      </p>
    )
  }
  return (
    <div className="thinking">
      <button type="button" className="thinking-line" aria-expanded={isOpen} onClick={() => put(!isOpen)}>
        <Brain aria-hidden />
        <span className="shrink-0">Thought</span>
        {isOpen ? null : <span className="thinking-preview">{seenLine(block.text.slice(0, PREVIEW))}</span>}
        <ChevronRight aria-hidden className="fold-mark" />
      </button>
      {isOpen ? <Thinking block={block} /> : null}
    </div>
  )
}
