import { useRouter } from "@tanstack/react-router"
import { useCallback, useMemo, useRef, useState } from "react"
import type { Blame } from "@/api/schema"
import { highlighted } from "@/blocks/highlight/highlight"
import { languageOfPath } from "@/blocks/highlight/languages"
import { useLanguage } from "@/blocks/highlight/use-highlighted"
import { several } from "@/blocks/text/figures"
import { blameAddressOf } from "@/parts/places"
import { useKeys } from "@/ui/keys"
import { useRowFocus } from "@/ui/list/use-row-focus"
import { VirtualList, type VirtualListHandle } from "@/ui/list/virtual-list"
import { LineFacts } from "./line-facts"
import { LineRow } from "./line-row"
import { linesOf, nextKnown } from "./lines"
import type { BlamePlace } from "./place"
import "./blame.css"

const LINE_PX = 20
/** How far below the top a line stands that a link names. */
const BEGIN_PX = 120

/** The lines of the file, and beside them what is known about the line that the reader looks at. */
export function BlamedLines({ blame, place }: { blame: Blame; place: BlamePlace }) {
  const list = useRef<VirtualListHandle>(null)
  const focusRow = useRowFocus(list)
  const [current, setCurrent] = useState<number | null>(place.line)
  const lines = useMemo(() => linesOf(blame), [blame])
  const keys = useMemo(() => lines.map((line) => String(line.number)), [lines])
  const language = useLanguage(languageOfPath(blame.path))
  const spans = useMemo(() => highlighted(lines.map((line) => line.text).join("\n"), language), [lines, language])
  const step = (by: 1 | -1) => {
    const from = current === null ? (by === 1 ? -1 : lines.length) : current - 1
    const at = nextKnown(lines, from, by)
    if (at < 0) return
    setCurrent(at + 1)
    focusRow(String(at + 1))
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  const { workspace, file, revision } = place
  const { history } = useRouter()
  // A reader who comes back stands at the same line.
  const leave = useCallback(
    (line: number) => {
      history.replace(blameAddressOf(workspace, file, { revision, line }))
      // Otherwise the way to the prompt, which follows at once, would take the place of this one.
      history.flush()
    },
    [history, workspace, file, revision],
  )
  const begin = keys.includes(String(place.line)) ? { key: String(place.line), y: BEGIN_PX } : "start"
  return (
    <div className="flex min-h-0 flex-1">
      <VirtualList
        ref={list}
        className="blamed-lines"
        label="Lines of the file"
        keys={keys}
        row={(index) => {
          const line = lines[index]
          return line && <LineRow line={line} spans={spans[index] ?? []} isCurrent={line.number === current} onLook={setCurrent} onLeave={leave} />
        }}
        estimate={LINE_PX}
        begin={begin}
        footer={blame.cut_lines === 0 ? null : <p className="px-4 py-2 text-sm text-ink-3">{several(blame.cut_lines, "more line")} not shown; `chorus blame` prints all.</p>}
      />
      <aside aria-label="Origin of the line" className="hidden w-80 shrink-0 overflow-y-auto border-l border-line p-4 lg:block">
        <LineFacts line={current === null ? null : (lines[current - 1] ?? null)} claims={blame.claims} />
      </aside>
    </div>
  )
}
