import { Braces, ChevronDown, ChevronRight } from "lucide-react"
import { useMemo, useState } from "react"
import { CopyButton } from "@/ui/copy-button"
import { cx } from "@/ui/cx"
import { BoxTitle } from "./box-title"
import { CutChars } from "./cut-chars"
import { useHighlighted } from "./highlight/use-highlighted"
import { MoreLines } from "./more-lines"
import type { JsonBlock } from "./shapes"
import { Spans } from "./spans"
import { jsonLines, visibleLines } from "./text/json-lines"
import { useCut } from "./use-cut"
import { useHidden, useIsWholeWanted } from "./wholeness"

const FOLDED = 16
/** In a text with more lines than this, deeper levels are folded at first. */
const MANY = 200
const OPEN_DEPTH = 2

/** JSON formatted for reading; levels can be folded, and JSON inside a string can be opened. */
export function Json({ block, at }: { block: JsonBlock; at: string }) {
  return (
    <div className="box group/box">
      <BoxTitle title={block.title} />
      <CopyButton text={block.text} label="Copy JSON" className="box-copy" />
      <JsonText text={block.text} at={at} folded={block.is_bulk ? 8 : FOLDED} />
      <CutChars chars={block.cut_chars} />
    </div>
  )
}

/** The text; at first `folded` lines are shown. */
export function JsonText({ text, at, folded = Infinity }: { text: string; at: string; folded?: number }) {
  const lines = useMemo(() => jsonLines(text), [text])
  const spans = useHighlighted(text, "json")
  const [toggled, setToggled] = useState<ReadonlySet<number>>(() => new Set())
  const [inner, setInner] = useState<ReadonlySet<number>>(() => new Set())
  const isLarge = !useIsWholeWanted() && lines.length > MANY
  const isFolded = (index: number): boolean => {
    const line = lines[index]
    return (isLarge && (line?.depth ?? 0) >= OPEN_DEPTH && line?.closes != null) !== toggled.has(index)
  }
  const visible = visibleLines(lines, isFolded)
  const cut = useCut(at, visible.length, folded)
  useHidden(`${at} levels`, lines.length - visible.length)
  return (
    <>
      <pre className={cx("code-box json", !cut.isOpen && folded < Infinity && "clipped")} tabIndex={0} role="group" aria-label="JSON">
        <code>
          {visible.slice(0, cut.head).map((index) => {
            const line = lines[index]
            const hidden = line?.closes != null && isFolded(index) ? line.closes - index - 1 : 0
            return (
              <span key={index} className="code-line">
                {line?.closes != null && index > 0 ? (
                  <button
                    type="button"
                    className="json-toggle"
                    aria-expanded={hidden === 0}
                    aria-label={hidden === 0 ? "Fold" : "Unfold"}
                    onClick={() => setToggled(flipped(toggled, index))}
                  >
                    {hidden === 0 ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
                  </button>
                ) : null}
                <Spans spans={spans[index] ?? []} />
                {hidden > 0 ? (
                  <>
                    <span className="json-hidden">{` ${hidden} lines `}</span>
                    <Spans spans={trimmedStart(spans[line?.closes ?? 0] ?? [])} />
                  </>
                ) : null}
                {line?.inner ? (
                  <button
                    type="button"
                    className="json-inner-button"
                    aria-expanded={inner.has(index)}
                    onClick={() => setInner(flipped(inner, index))}
                  >
                    <Braces aria-hidden />
                    {inner.has(index) ? "close" : "open JSON"}
                  </button>
                ) : null}
                {"\n"}
                {line?.inner && inner.has(index) ? (
                  <span className="json-inner">
                    <JsonText text={line.inner} at={`${at}/${index}`} />
                  </span>
                ) : null}
              </span>
            )
          })}
        </code>
      </pre>
      <MoreLines cut={cut} />
    </>
  )
}

function flipped(set: ReadonlySet<number>, index: number): ReadonlySet<number> {
  const changed = new Set(set)
  if (!changed.delete(index)) changed.add(index)
  return changed
}

function trimmedStart<T extends { text: string }>(spans: readonly T[]): T[] {
  const [first, ...rest] = spans
  return first ? [{ ...first, text: first.text.trimStart() }, ...rest] : []
}
