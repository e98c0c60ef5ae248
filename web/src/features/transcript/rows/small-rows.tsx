import { Bot, Hourglass, ShieldCheck } from "lucide-react"
import type { AgentRow as Agent, ModeRow as Mode, NoticeRow as Notice, OrphanRow as Orphan, PageRow, QueuedRow as Queued } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { TextBlock } from "./text-block"
import { seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { tip } from "@/ui/tooltip"
import { Moment } from "./moment"
import { SubAgentCard } from "../calls/sub-agent-card"
import { ToolUseBlock } from "../calls/tool-use-block"

/** Input that waits for the agent, or was shown to it in the middle of a turn. */
export function QueuedRow({ row }: { row: Queued }) {
  return (
    <div className="message prompt queued">
      <header className="message-header">
        <h2 className="message-author" data-author="human">
          <Hourglass aria-hidden />
          {row.is_waiting ? "Queued" : "Queued, read in the middle of a turn"}
        </h2>
        <span className="message-facts">
          <Moment iso={row.time} />
        </span>
      </header>
      <div className="message-body">
        {row.blocks.map((block, index) =>
          block.type === "prose" ? (
            <TextBlock key={index} block={block} isTyped />
          ) : (
            <BlockView key={index} block={block} at={`${row.id}/${index}`} />
          ),
        )}
      </div>
    </div>
  )
}

/** The permission mode, from here on. */
export function ModeRow({ row }: { row: Mode }) {
  return (
    <p className="line-row">
      <ShieldCheck aria-hidden />
      <span>
        permission mode: <span className="text-ink">{seenLine(row.mode)}</span>
      </span>
      <Moment iso={row.time} className="ml-auto" />
    </p>
  )
}

/** A record that is not a message. */
export function NoticeRow({ row }: { row: Notice }) {
  return (
    <div className="notice">
      <p className="line-row">
        <span className="notice-dot" aria-hidden />
        <span className="min-w-0 break-words">{seenLine(row.title)}</span>
        {row.is_internal ? <Badge tone="outline" {...tip("The client uses this internally")}>internal</Badge> : null}
        <Moment iso={row.time} className="ml-auto" />
      </p>
      {row.blocks.map((block, index) => (
        <BlockView key={index} block={block} at={`${row.id}/${index}`} />
      ))}
    </div>
  )
}

/** A result whose call is not in the record. */
export function OrphanRow({ orphan, row }: { orphan: Orphan; row: PageRow }) {
  return <ToolUseBlock call={orphan.call} row={row} />
}

/** A sub-agent that was not started by a call on display. */
export function AgentRow({ row }: { row: Agent }) {
  return (
    <div className="message-body">
      <p className="line-row">
        <Bot aria-hidden />
        <span>Sub-agent without a call in this thread</span>
        <Moment iso={row.time} className="ml-auto" />
      </p>
      <SubAgentCard agent={row.agent} at={row.id} />
    </div>
  )
}
