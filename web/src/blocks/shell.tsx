import { CopyButton } from "@/ui/copy-button"
import { cx } from "@/ui/cx"
import { CutChars } from "./cut-chars"
import { useHighlighted } from "./highlight/use-highlighted"
import { MoreLines } from "./more-lines"
import type { ShellBlock } from "./shapes"
import { Spans } from "./spans"
import { countLines, firstLines, trimmed } from "./text/lines"
import { useCut } from "./use-cut"

const FOLDED = 16

/** A command line. */
export function Shell({ block, at }: { block: ShellBlock; at: string }) {
  const text = trimmed(block.command)
  const cut = useCut(at, countLines(text), FOLDED)
  const lines = useHighlighted(cut.left > 0 ? firstLines(text, cut.head) : text, block.language)
  return (
    <div className="box group/box">
      <CopyButton text={block.command} label="Copy command" className="box-copy" />
      <pre className={cx("code-box shell", !cut.isOpen && "clipped")} tabIndex={0} role="group" aria-label="Command">
        <code>
          {lines.map((line, index) => (
            <span key={index} className="code-line">
              <Spans spans={line} />
              {"\n"}
            </span>
          ))}
        </code>
      </pre>
      <MoreLines cut={cut} />
      <CutChars chars={block.cut_chars} />
    </div>
  )
}
