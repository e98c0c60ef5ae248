import { useMemo } from "react"
import { marked } from "./highlight/spans"
import type { DiffBlock } from "./shapes"
import { Spans } from "./spans"
import { changedLines, type ChangedLine } from "./text/changes"
import { seenLine } from "./text/seen"
import { sidesOf } from "./text/sides"

/** The changes of a file in two columns. */
export function SideBySide({ block }: { block: DiffBlock }) {
  const hunks = useMemo(() => changedLines(block.hunks).map(sidesOf), [block])
  return (
    <div className="sides" role="group" tabIndex={0} aria-label={`Changes of ${seenLine(block.path)}, side by side`}>
      <table>
        <colgroup>
          <col className="side-number-column" />
          <col />
          <col className="side-number-column" />
          <col />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">Line before</th>
            <th scope="col">Text before</th>
            <th scope="col">Line after</th>
            <th scope="col">Text after</th>
          </tr>
        </thead>
        {hunks.map((pairs, hunk) => (
          <tbody key={hunk}>
            {pairs.map(({ before, after }, index) => (
              <tr key={index}>
                <Side line={before} number={before?.before ?? null} />
                <Side line={after} number={after?.after ?? null} />
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

function Side({ line, number }: { line: ChangedLine | null; number: number | null }) {
  if (line === null) {
    return (
      <>
        <td className="side-number" aria-label="no line" />
        <td className="side-text side-gap" aria-label="no text" />
      </>
    )
  }
  const spans = [{ text: line.text, scope: line.kind === "said" ? "comment" : "" }]
  return (
    <>
      <td className="side-number">{number}</td>
      <td className={`side-text side-${line.kind}`}>
        <Spans spans={line.marks.length > 0 ? marked(spans, line.marks) : spans} />
      </td>
    </>
  )
}
