import { Bell, Bot, Settings2, Sparkle, SquareSlash, User, Wrench, type LucideIcon } from "lucide-react"
import type { MessageRow } from "@/api/schema"
import { cost, duration, tokens } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { inWords } from "@/parts/machine-words"
import { modelName, SYNTHETIC } from "@/parts/model-name"
import { tokensInFull } from "@/parts/spending"
import { Badge } from "@/ui/badge"
import { tip } from "@/ui/tooltip"
import { authorLabel } from "@/parts/authors"
import { Moment } from "./moment"

const ICONS: Record<string, LucideIcon> = {
  model: Sparkle,
  human: User,
  tool: Wrench,
  synthetic: Settings2,
  command: SquareSlash,
  notification: Bell,
  agent: Bot,
}

const USUAL = new Set(["end_turn", "tool_use", "stop_sequence"])

/** The author of a message, its model, its time, and what it used. */
export function MessageHeader({ row }: { row: MessageRow }) {
  const Icon = (Object.hasOwn(ICONS, row.author) ? ICONS[row.author] : undefined) ?? Settings2
  return (
    <header className="message-header">
      <h2 className="message-author" data-author={row.author}>
        <Icon aria-hidden />
        {authorLabel(row.author)}
      </h2>
      <ModelBadge model={row.model} />
      <Marks row={row} />
      <MessageFacts row={row} />
    </header>
  )
}

function ModelBadge({ model }: { model: string | null }) {
  if (model === null) return null
  if (model === SYNTHETIC) {
    return (
      <Badge tone="outline" className="border-dashed italic" {...tip("Written by the client, not by a model")}>
        {SYNTHETIC}
      </Badge>
    )
  }
  return (
    <Badge tone="outline" className="font-normal" {...tip(seenLine(model))}>
      <span className="truncate">{seenLine(modelName(model))}</span>
    </Badge>
  )
}

/** What is unusual about a message. */
function Marks({ row }: { row: MessageRow }) {
  return (
    <>
      {row.is_queued ? <Badge tone="accent" {...tip("Typed while the agent was busy, and delivered during the turn")}>queued</Badge> : null}
      {row.is_unfinished ? <Badge tone="waiting" {...tip("Cut off: it was never written to its end")}>never finished</Badge> : null}
      {row.is_partial ? <Badge tone="accent" {...tip("Known only in part: it is being written, or its stream ended")}>partial</Badge> : null}
      {row.is_abandoned ? <Badge tone="warning" {...tip("On a branch that the conversation left")}>abandoned</Badge> : null}
      {row.stop_reason !== null && !USUAL.has(row.stop_reason) ? (
        <Badge tone="warning" {...tip("Why the model stopped")}>{inWords(row.stop_reason)}</Badge>
      ) : null}
    </>
  )
}

export function MessageFacts({ row }: { row: MessageRow }) {
  const spent = row.tokens ? tokens(row.tokens, row.stop_reason === null) : ""
  return (
    <span className="message-facts">
      {row.duration_ms ? <span {...tip("How long the answer took")}>{duration(row.duration_ms)}</span> : null}
      {row.tokens && spent ? <span className="fact-tokens" {...tip(tokensInFull(row.tokens))}>{spent}</span> : null}
      {row.cost_usd ? <span {...tip("What it cost, as the client reported")}>{cost(row.cost_usd)}</span> : null}
      <Moment iso={row.time} />
    </span>
  )
}
