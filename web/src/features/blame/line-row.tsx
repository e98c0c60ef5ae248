import { memo } from "react"
import type { Line } from "@/blocks/highlight/spans"
import { Spans } from "@/blocks/spans"
import { PlaceLink } from "@/parts/place-link"
import { type BlamedLine, factsOf, placeOf, titleOf } from "./lines"

interface LineRowProps {
  line: BlamedLine
  spans: Line
  isCurrent: boolean
  onLook: (number: number) => void
  onLeave: (number: number) => void
}

/** One line: who wrote it, its number, its text. If its origin is known, all of it is a link to the prompt. */
export const LineRow = memo(function LineRow({ line, spans, isCurrent, onLook, onLeave }: LineRowProps) {
  const href = line.origin === null ? null : placeOf(line.origin)
  const inner = (
    <>
      <Who line={line} />
      <span className="blamed-number">{line.number}</span>
      <code className="blamed-text">
        <Spans spans={spans} />
      </code>
    </>
  )
  const look = () => onLook(line.number)
  const shared = { className: "blamed-line", "data-colour": line.colour ?? undefined, "data-first": line.nth === 0 || undefined, "data-current": isCurrent || undefined }
  if (href === null) {
    return (
      <div {...shared} onPointerEnter={look}>
        {inner}
      </div>
    )
  }
  return (
    // The other lines of a stretch lead to the same place, so one stop of the keyboard is enough.
    <PlaceLink href={href} {...shared} tabIndex={line.nth === 0 || isCurrent ? 0 : -1} onPointerEnter={look} onFocus={look} onClick={() => onLeave(line.number)}>
      {inner}
    </PlaceLink>
  )
})

function Who({ line: { origin, nth } }: { line: BlamedLine }) {
  if (nth > 1) return <span className="blamed-who" />
  if (origin === null) return <span className="blamed-who">{nth === 0 ? <span className="blamed-facts">unknown</span> : null}</span>
  const facts = <span className="blamed-facts">{origin.certainty === "likely" ? `likely · ${factsOf(origin)}` : factsOf(origin)}</span>
  if (nth === 1) return <span className="blamed-who blamed-second">{facts}</span>
  return (
    <span className="blamed-who">
      <span className="blamed-title">{titleOf(origin)}</span>
      {origin.certainty === "likely" ? <span className="blamed-doubt">?</span> : null}
      <span className="blamed-narrow">{facts}</span>
    </span>
  )
}
