import { Ban, Braces, ChevronRight, CircleDashed, CircleX, CornerLeftUp, Link2Off, LoaderCircle, UserPen } from "lucide-react"
import { useContext } from "react"
import { useIsExported } from "@/api/follow"
import type { PageRow, ToolCall } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { useFold } from "@/blocks/folds"
import { duration } from "@/blocks/text/figures"
import { seen, seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { blameAddressOf, fileKeyOf, nameParts } from "@/parts/places"
import { PlaceLink } from "@/parts/place-link"
import { Button, buttonLook } from "@/ui/button"
import { cx } from "@/ui/cx"
import { tip } from "@/ui/tooltip"
import { CallIcon } from "./call-icon"
import { exitCode, isRunning, summaryOf } from "./call-summary"
import { placesOfCall } from "../rows/records"
import { SubAgentCard } from "./sub-agent-card"
import { useTranscript, WorkContext } from "../transcript-context"

/** A tool call with its result: one line, and everything when it is open. Failed calls are open by default. */
export function ToolUseBlock({ call, row }: { call: ToolCall; row: PageRow }) {
  const { folder } = useTranscript()
  const [isOpen, put] = useFold("call", call.id, call.state === "failed" || call.opens_by_itself)
  const summary = summaryOf(call, folder)
  const title = summary.title || (isOpen ? "" : summary.command)
  const isCode = summary.title === "" || call.title_is_path
  const isPath = call.title_is_path && !summary.title.includes(" ")
  return (
    <div role="group" className="call" data-state={call.state} data-call={call.id} aria-label={`Tool call: ${seenLine(call.label)}`}>
      <button type="button" className="call-line" aria-expanded={isOpen} onClick={() => put(!isOpen)}>
        <CallIcon icon={call.icon} />
        <span className="call-label">{seenLine(call.label)}</span>
        {title ? (
          <span className={cx("call-title", isCode && "monospace", isPath && "path")} {...tip(seen(call.title.slice(0, 600)) || title)}>
            <bdi>{title}</bdi>
          </span>
        ) : null}
        {!isOpen && summary.title && summary.command ? (
          <span className="call-command">
            <bdi>{summary.command}</bdi>
          </span>
        ) : null}
        <span className="call-facts">
          {isOpen
            ? null
            : summary.facts.map((fact, index) => (
                <span key={index} data-tone={fact.tone}>
                  {fact.text}
                </span>
              ))}
          {call.duration_ms !== null && call.duration_ms >= 100 ? <span className="call-took">{duration(call.duration_ms)}</span> : null}
        </span>
        <State call={call} />
        <ChevronRight aria-hidden className="fold-mark" />
      </button>
      {isOpen ? <CallBody call={call} row={row} /> : null}
      {!isOpen && call.agent ? (
        <div className="call-body">
          <SubAgentCard agent={call.agent} at={call.id} />
        </div>
      ) : null}
    </div>
  )
}

function CallBody({ call, row }: { call: ToolCall; row: PageRow }) {
  const { name, openRaw, locate } = useTranscript()
  const isExported = useIsExported()
  const edited = isExported ? undefined : [...call.asked, ...call.given].find((block) => block.type === "diff")
  const records = placesOfCall(row.places, call.id)
  const refers = call.refers
  return (
    <div className="call-body">
      {call.asked.map((block, index) => (
        <BlockView key={index} block={block} at={`${call.id}/asked/${index}`} title={call.title} />
      ))}
      {call.agent ? <SubAgentCard agent={call.agent} at={call.id} /> : null}
      {call.given.map((block, index) => (
        <BlockView key={index} block={block} at={`${call.id}/given/${index}`} />
      ))}
      {call.asked.length + call.given.length === 0 && call.agent === null ? (
        <p className="note">{call.state === "pending" ? "No result yet." : "No output."}</p>
      ) : null}
      <div className="call-foot">
        {refers ? (
          <Button kind="quiet" size="sm" className="h-5! text-xs!" onClick={() => locate(refers)} {...tip(`Where ${seenLine(refers)} was started`)}>
            <CornerLeftUp aria-hidden />
            Go to what it belongs to
          </Button>
        ) : null}
        {edited === undefined ? null : (
          <PlaceLink href={blameAddressOf(nameParts(name).workspace, fileKeyOf(edited.path))} className={cx(buttonLook("quiet", "sm"), "h-5! text-xs!")}>
            <UserPen aria-hidden />
            Blame of the file
          </PlaceLink>
        )}
        {records.map((record) => (
          <Button key={record.id} kind="quiet" size="sm" className="h-5! text-xs!" onClick={() => openRaw(row, record.id)}>
            <Braces aria-hidden />
            Raw {record.label}
          </Button>
        ))}
      </div>
    </div>
  )
}

function State({ call }: { call: ToolCall }) {
  const running = isRunning(call, useContext(WorkContext))
  const code = call.state === "failed" ? exitCode(call) : null
  return (
    <>
      {call.permission && call.permission !== "allowed" && call.permission !== "settled" && call.state !== "refused" ? (
        <Badge tone="waiting">{call.permission === "open" ? "asks" : `permission ${seenLine(call.permission)}`}</Badge>
      ) : null}
      {call.state === "failed" ? (
        <span className="call-state" data-tone="failed">
          <CircleX aria-hidden />
          {code === null ? "failed" : `exit ${code}`}
        </span>
      ) : call.state === "refused" ? (
        <span className="call-state" data-tone="waiting">
          <Ban aria-hidden />
          {call.decided_by ? `refused by ${seenLine(call.decided_by)}` : "refused"}
        </span>
      ) : running ? (
        <span className="call-state" data-tone="running">
          <LoaderCircle aria-hidden className="motion-safe:animate-spin" />
          running
        </span>
      ) : call.state === "pending" && call.permission !== "open" ? (
        <span className="call-state" data-tone="waiting">
          <CircleDashed aria-hidden />
          no result
        </span>
      ) : call.state === "orphan" ? (
        <span className="call-state" data-tone="interrupted">
          <Link2Off aria-hidden />
          result without a call
        </span>
      ) : null}
    </>
  )
}
