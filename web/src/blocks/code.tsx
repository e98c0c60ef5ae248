import { CopyButton } from "@/ui/copy-button"
import { BoxTitle } from "./box-title"
import { CodeLines } from "./code-lines"
import { CutChars } from "./cut-chars"
import { useHighlighted } from "./highlight/use-highlighted"
import { MoreLines } from "./more-lines"
import type { CodeBlock } from "./shapes"
import { countLines, firstLines } from "./text/lines"
import { seenLine } from "./text/seen"
import { useCut } from "./use-cut"

const FOLDED = 12

/** Code in a language, numbered from `first_line`. */
export function Code({ block, at }: { block: CodeBlock; at: string }) {
  const text = block.text.replace(/\n$/, "")
  const cut = useCut(at, countLines(text), FOLDED)
  // Later lines cannot change how a line is highlighted, so only the visible part is.
  const lines = useHighlighted(cut.left > 0 ? firstLines(text, cut.head) : text, block.language)
  return (
    <div className="box group/box">
      <BoxTitle title={block.title} />
      <CopyButton text={block.text} label="Copy code" className="box-copy" />
      <CodeLines lines={lines} firstLine={block.first_line} label={block.title ? seenLine(block.title) : "Code"} />
      <MoreLines cut={cut} />
      <CutChars chars={block.cut_chars} />
    </div>
  )
}
