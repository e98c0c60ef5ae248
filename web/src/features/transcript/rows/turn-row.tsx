import { CircleCheck, OctagonX } from "lucide-react"
import type { TurnRow as Row } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { cost, duration, tokens } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { inWords } from "@/parts/machine-words"
import { tokensInFull } from "@/parts/spending"
import { tip } from "@/ui/tooltip"
import { Moment } from "./moment"

const USUAL = new Set(["end_turn", "stop_sequence", "tool_use"])

/** How a turn ended. */
export function TurnRow({ row }: { row: Row }) {
  const body = row.blocks.map((block, index) => (
    <BlockView key={index} block={block} at={`${row.id}/${index}`} />
  ))
  if (row.is_error) {
    return (
      <div className="error-card" role="note">
        <OctagonX aria-hidden />
        <div className="min-w-0 flex-1">
          <p className="font-medium">Turn failed{row.outcome ? `: ${seenLine(row.outcome)}` : ""}</p>
          {body}
          <p className="divider-facts">
            <TurnFacts row={row} />
          </p>
        </div>
      </div>
    )
  }
  return (
    <>
      {body.length > 0 ? <div className="message-body">{body}</div> : null}
      <div className="divider">
        <span className="divider-facts">
          <CircleCheck aria-hidden />
          <span>{seenLine(row.outcome) || "done"}</span>
          <TurnFacts row={row} />
        </span>
      </div>
    </>
  )
}

function durationInFull(row: Row): string {
  const api = row.duration_api_ms === null ? [] : [`${duration(row.duration_api_ms)} of it waiting for the API`]
  const stop = row.stop_reason === null ? [] : [`Stopped: ${inWords(row.stop_reason)}`]
  return ["How long the turn took", ...api, ...stop].join("\n")
}

function TurnFacts({ row }: { row: Row }) {
  return (
    <>
      {row.duration_ms === null ? null : <span {...tip(durationInFull(row))}>{duration(row.duration_ms)}</span>}
      {row.stop_reason === null || USUAL.has(row.stop_reason) ? null : <span {...tip("Why the model stopped")}>{inWords(row.stop_reason)}</span>}
      {row.num_turns !== null && row.num_turns > 1 ? <span>{row.num_turns} steps</span> : null}
      {row.tokens && tokens(row.tokens) ? <span {...tip(tokensInFull(row.tokens))}>{tokens(row.tokens)}</span> : null}
      {row.cost_usd === null ? null : <span {...tip("What this turn added, as the client reported")}>{cost(row.cost_usd)}</span>}
      <Moment iso={row.time} />
    </>
  )
}
