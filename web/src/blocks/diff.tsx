import { useMemo } from "react"
import { CopyButton } from "@/ui/copy-button"
import { CutChars } from "./cut-chars"
import { highlighted } from "./highlight/highlight"
import { languageOfPath } from "./highlight/languages"
import { marked, type Line } from "./highlight/spans"
import { useLanguage } from "./highlight/use-highlighted"
import { MoreLines } from "./more-lines"
import { SeenText } from "./seen-text"
import type { DiffBlock } from "./shapes"
import { Spans } from "./spans"
import { changedLines, tally, type ChangedLine } from "./text/changes"
import { seenLine } from "./text/seen"
import { useCut } from "./use-cut"

const FOLDED = 40

const SIGNS: Record<ChangedLine["kind"], string> = { same: " ", added: "+", removed: "−", said: " " }

interface DrawnLine extends ChangedLine {
  spans: Line
  hunk: number
}

/** The changes of a file: one column, with known line numbers on both sides, and changed words marked inside a line. */
export function Diff({ block, at, isTitled }: { block: DiffBlock; at: string; isTitled: boolean }) {
  const language = useLanguage(languageOfPath(block.path))
  const lines = useMemo(() => drawn(block, language), [block, language])
  const cut = useCut(at, lines.length, FOLDED)
  const { added, removed } = tally(block.hunks)
  const isNumbered = lines.some((line) => line.after !== null || line.before !== null)
  const digits = Math.min(7, Math.max(2, String(Math.max(1, ...lines.map((line) => line.after ?? line.before ?? 0))).length))
  return (
    <div className="box group/box">
      <div className="box-title">
        {isTitled ? (
          <span className="min-w-0 truncate">
            <SeenText text={block.path} />
          </span>
        ) : null}
        {block.is_new ? <span className="shrink-0 whitespace-nowrap text-added">new file</span> : null}
        <span className="shrink-0 whitespace-nowrap text-added">+{added}</span>
        <span className="shrink-0 whitespace-nowrap text-removed">−{removed}</span>
      </div>
      <CopyButton text={() => asPatch(block)} label="Copy as patch" className="box-copy" />
      <pre
        tabIndex={0}
        role="group"
        aria-label={`Changes of ${seenLine(block.path)}`}
        className="code-box diff"
        data-digits={isNumbered ? digits : undefined}
      >
        <code>
          {lines.slice(0, cut.head).map((line, index) => (
            <DiffLine key={index} line={line} isNumbered={isNumbered} isFirstOfHunk={index > 0 && lines[index - 1]?.hunk !== line.hunk} />
          ))}
        </code>
      </pre>
      <MoreLines cut={cut} />
      <CutChars chars={block.cut_chars} />
    </div>
  )
}

interface LineProps {
  line: DrawnLine
  isNumbered: boolean
  isFirstOfHunk: boolean
}

function DiffLine({ line, isNumbered, isFirstOfHunk }: LineProps) {
  return (
    <span className={`diff-line ${line.kind}`} data-apart={isFirstOfHunk || undefined}>
      {isNumbered ? <span className="diff-numbers" data-before={line.before ?? ""} data-after={line.after ?? ""} /> : null}
      <span className="diff-sign">{SIGNS[line.kind]}</span>
      <Spans spans={line.marks.length > 0 ? marked(line.spans, line.marks) : line.spans} />
      {"\n"}
    </span>
  )
}

/** Highlights both sides of each hunk as separate texts, then restores the order of the diff. */
function drawn(block: DiffBlock, language: string | null): DrawnLine[] {
  return changedLines(block.hunks).flatMap((lines, hunk) => {
    const before = sideOf(lines, "removed", language)
    const after = sideOf(lines, "added", language)
    return lines.map((line) => {
      if (line.kind === "said") return { ...line, hunk, spans: [{ text: line.text, scope: "comment" }] }
      const old = line.kind === "added" ? undefined : before.next().value
      const fresh = line.kind === "removed" ? undefined : after.next().value
      return { ...line, hunk, spans: fresh ?? old ?? [] }
    })
  })
}

function sideOf(lines: readonly ChangedLine[], kind: "added" | "removed", language: string | null) {
  const texts = lines.filter((line) => line.kind === kind || line.kind === "same").map((line) => line.text)
  return highlighted(texts.join("\n"), language).values()
}

function asPatch(block: DiffBlock): string {
  const hunks = block.hunks.map((hunk) => {
    const old = hunk.lines.filter((line) => /^[- ]/.test(line)).length
    const fresh = hunk.lines.filter((line) => /^[+ ]/.test(line)).length
    // A patch program searches for the text from the given line on, so it needs a line number.
    return `@@ -${hunk.old_start ?? 1},${old} +${hunk.new_start ?? 1},${fresh} @@\n${hunk.lines.join("\n")}\n`
  })
  return `--- ${block.is_new ? "/dev/null" : block.path}\n+++ ${block.path}\n${hunks.join("")}`
}
