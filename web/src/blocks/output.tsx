import { useMemo } from "react"
import { cx } from "@/ui/cx"
import { CopyButton } from "@/ui/copy-button"
import { AnsiLines } from "./ansi-text"
import { CutChars } from "./cut-chars"
import { MoreLines } from "./more-lines"
import type { OutputBlock } from "./shapes"
import { SideFileText } from "./side-file"
import { ansiLines } from "./text/ansi"
import { trimmed } from "./text/lines"
import { useCut } from "./use-cut"

const HEAD = 8
const TAIL = 4

/** The output of a tool or command: its beginning, and its end, which shows the result. */
export function Output({ block, at }: { block: OutputBlock; at: string }) {
  const text = trimmed(block.text)
  const lines = useMemo(() => ansiLines(text), [text])
  const end = useMemo(() => ansiLines(trimmed(block.tail)).slice(-TAIL), [block.tail])
  // If the text was cut, its last line is not the end of the output.
  const isWhole = block.cut_chars === 0
  const cut = useCut(at, lines.length, block.is_bulk ? HEAD + TAIL : HEAD, block.is_bulk || !isWhole ? 0 : TAIL)
  const tail = cut.tail > 0 ? lines.slice(-cut.tail) : block.tail !== "" && (cut.isOpen || !block.is_bulk) ? end : []
  const box = cx("code-box output", block.is_error && "failed", !cut.isOpen && "clipped")
  return (
    <div className={cx("box group/box", block.is_error && "box-failed")}>
      {text ? (
        <>
          <CopyButton text={block.text} label={isWhole ? "Copy output" : "Copy the beginning of the output"} className="box-copy" />
          <pre className={box} tabIndex={0} role="group" aria-label={block.is_error ? "Error output" : "Output"}>
            <AnsiLines lines={lines.slice(0, cut.head)} />
          </pre>
          <MoreLines cut={cut} />
          <CutChars chars={block.cut_chars} />
          {tail.length > 0 ? (
            <pre className={box} tabIndex={0} role="group" aria-label="End of the output">
              <AnsiLines lines={tail} />
            </pre>
          ) : null}
        </>
      ) : null}
      {block.side_file ? <SideFileText file={block.side_file} /> : null}
    </div>
  )
}
