import type { UsageLine, UsageShown, UsageTool } from "@/api/schema"
import { PlaceLink } from "@/parts/place-link"
import { addressOf } from "@/parts/places"
import { count } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { Ago } from "@/ui/time"
import { ChartCard } from "./chart-card"
import { isPeriod, GROUPINGS, type Measure } from "./choices"
import { ColumnChart } from "./column-chart"
import { FiguresTable } from "./figures-table"
import { costOf, errorsOf, KINDS, outputOf, share, sizeInWords, sizeOf, took } from "./in-words"
import { ListLink } from "./list-link"
import { RowChart } from "./row-chart"
import { WeekChart } from "./week-chart"

interface Part {
  shown: UsageShown
  csv: string
}

const LINE_HEAD = ["Cost", "Output", "Input", "Cache write", "Cache read", "Cache hits", "Messages", "Reported"]
const CALL_HEAD = ["Calls", "Errors", "Refused", "Open", "p50", "p95", "Total"]
const CLOSE = "p50 and p95 are at most 4.5 % off."

/** Cost or tokens by the chosen grouping. */
export function Grouped({ shown, csv, measure }: Part & { measure: Measure }) {
  const name = GROUPINGS.find(({ value }) => value === shown.by)?.label ?? shown.by
  const title = `${measure === "cost" ? "Cost" : "Tokens"} by ${name.toLowerCase()}`
  const chart = isPeriod(shown.by) ? (
    <ColumnChart lines={shown.lines} measure={measure} />
  ) : (
    <RowChart
      bars={shown.lines.map((line) => ({
        key: line.key,
        label: line.label,
        query: line.query,
        size: sizeOf(line, measure),
        words: sizeInWords(line, measure),
      }))}
    />
  )
  return (
    <ChartCard
      title={title}
      csv={csv}
      chart={
        <>
          {chart}
          {measure === "tokens" && isPeriod(shown.by) ? <Legend /> : null}
        </>
      }
      table={<LinesTable caption={`${title}, as a table`} name={name} lines={shown.lines} total={shown.total} />}
    />
  )
}

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 pt-2 text-sm text-ink-2">
      {KINDS.map(({ field, label }) => (
        <li key={field} className="flex items-center gap-1.5">
          <svg viewBox="0 0 10 10" className="usage-key">
            <rect width={10} height={10} rx={2} className={`usage-${field}`} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  )
}

function LinesTable({ caption, name, lines, total }: { caption: string; name: string; lines: readonly UsageLine[]; total?: UsageLine }) {
  return (
    <FiguresTable
      caption={caption}
      head={[name, ...LINE_HEAD]}
      rows={lines.map((line) => ({
        key: line.key,
        cells: [
          <ListLink key="name" query={line.query}>
            {line.label}
          </ListLink>,
          ...figures(line),
        ],
      }))}
      {...(total === undefined ? {} : { foot: ["Total", ...figures(total)] })}
    />
  )
}

function figures(line: UsageLine): string[] {
  return [
    costOf(line),
    outputOf(line),
    count(line.input),
    count(line.cache_creation),
    count(line.cache_read),
    share(line.cache_hit_rate),
    count(line.messages),
    line.reported_usd === null ? "–" : `$${line.reported_usd.toFixed(2)}`,
  ]
}

export function Tools({ shown, csv }: Part) {
  return (
    <ChartCard
      title="Tools"
      csv={csv}
      note={`Errors are failed results; refused calls are not among them. ${CLOSE}`}
      chart={
        <RowChart
          bars={shown.tools.map((tool) => ({
            key: tool.name,
            label: tool.name,
            query: tool.query,
            size: tool.calls,
            words: `${count(tool.calls)}${tool.errors === 0 ? "" : `, ${count(tool.errors)} failed`}`,
          }))}
        />
      }
      table={<CallsTable caption="Tools, as a table" name="Tool" tools={shown.tools} />}
    />
  )
}

export function Waiting({ shown }: { shown: UsageShown }) {
  if (shown.waiting.length === 0) return null
  return (
    <ChartCard
      title="Waiting for people"
      note={`How long permission requests, questions and plans waited, as far as the record says. ${CLOSE}`}
      table={<CallsTable caption="Waiting for people" name="For" tools={shown.waiting} />}
    />
  )
}

function CallsTable({ caption, name, tools }: { caption: string; name: string; tools: readonly UsageTool[] }) {
  return (
    <FiguresTable
      caption={caption}
      head={[name, ...CALL_HEAD]}
      rows={tools.map((tool) => ({
        key: tool.name,
        cells: [
          <ListLink key="name" query={tool.query}>
            {tool.name}
          </ListLink>,
          count(tool.calls),
          errorsOf(tool),
          count(tool.refused),
          count(tool.without_result),
          took(tool.p50_ms),
          took(tool.p95_ms),
          took(tool.total_ms),
        ],
      }))}
    />
  )
}

export function Week({ shown, csv }: Part) {
  return (
    <ChartCard
      title="Messages by weekday and hour"
      csv={csv}
      chart={
        <div className="overflow-x-auto">
          <WeekChart lines={shown.hours} />
        </div>
      }
      table={<LinesTable caption="Messages by weekday and hour, as a table" name="Hour" lines={shown.hours} />}
    />
  )
}

export function Dearest({ shown, csv }: Part) {
  if (shown.dearest.length === 0) return null
  return (
    <ChartCard
      title="Most expensive conversations"
      csv={csv}
      table={
        <FiguresTable
          caption="Most expensive conversations"
          head={["Conversation", "Cost", "Output", "Cache hits", "Messages"]}
          rows={shown.dearest.map((line) => ({
            key: line.key,
            cells: [
              <PlaceLink key="name" href={addressOf(line.key)} className="text-accent hover:underline">
                {seenLine(line.label)}
              </PlaceLink>,
              costOf(line),
              outputOf(line),
              share(line.cache_hit_rate),
              count(line.messages),
            ],
          }))}
        />
      }
    />
  )
}

export function DearestTurns({ shown }: { shown: UsageShown }) {
  if (shown.dearest_turns.length === 0) return null
  return (
    <ChartCard
      title="Most expensive turns"
      note="A turn is everything from a prompt to the next one, with its sub-agents."
      table={
        <FiguresTable
          caption="Most expensive turns"
          head={["Prompt", "Cost", "When"]}
          rows={shown.dearest_turns.map((turn) => ({
            key: `${turn.conversation} ${turn.item}`,
            cells: [
              <PlaceLink key="name" href={addressOf(turn.conversation, { at: turn.item })} className="text-accent hover:underline">
                {seenLine(turn.prompt === "" ? turn.title : turn.prompt)}
              </PlaceLink>,
              costOf(turn),
              <Ago key="when" iso={turn.started_at} />,
            ],
          }))}
        />
      }
    />
  )
}

export function Limits({ shown }: { shown: UsageShown }) {
  if (shown.limits.length === 0) return null
  return (
    <ChartCard
      title="Limits"
      note="As the client reported them last. They do not depend on the query or the period."
      table={
        <FiguresTable
          caption="Limits"
          head={["Limit", "Status", "Used", "Starts again", "Reported"]}
          rows={shown.limits.map((limit) => ({
            key: limit.type,
            cells: [
              seenLine(limit.type === "" ? "unnamed" : limit.type),
              seenLine(limit.status ?? "?"),
              limit.utilization === null ? "?" : share(limit.utilization),
              whenOf(limit.resets_at_ms),
              limit.reported_at === null ? "?" : <Ago key="when" iso={limit.reported_at} />,
            ],
          }))}
        />
      }
    />
  )
}

function whenOf(ms: number | null): string {
  const moment = new Date(ms ?? Number.NaN)
  return Number.isNaN(moment.getTime()) ? "?" : moment.toLocaleString()
}
