import { ChartColumn } from "lucide-react"
import type { ReactNode } from "react"
import { isProblem } from "@/api/backend"
import { useBackend } from "@/api/follow"
import { seenLine } from "@/blocks/text/seen"
import { QueryBar } from "@/parts/query-bar"
import { Unanswered } from "@/parts/unanswered"
import { Button } from "@/ui/button"
import { EmptyState } from "@/ui/empty-state"
import { Segments } from "@/ui/segments"
import { Skeleton } from "@/ui/skeleton"
import type { UsageShown } from "@/api/schema"
import { type Grouping, GROUPINGS, type Measure, PERIODS } from "./choices"
import { Dearest, DearestTurns, Grouped, Limits, Tools, Waiting, Week } from "./sections"
import { Totals } from "./totals"
import "./usage.css"
import { useUsage } from "./use-usage"

interface PageProps {
  q: string
  by: Grouping
  since: string
  measure: Measure
  onQuery: (q: string) => void
  onBy: (by: Grouping) => void
  onSince: (since: string) => void
  onMeasure: (measure: Measure) => void
  onHelp: () => void
}

/** What was used and done: every figure is a sum that the index has, and every bar leads to its conversations. */
export default function UsagePage(props: PageProps) {
  const { q, by, since, measure, onQuery, onBy, onSince, onMeasure, onHelp } = props
  const usage = useUsage({ q, by, since })
  return (
    <div className="flex h-full flex-col">
      <h1 className="sr-only">Usage</h1>
      <div className="flex shrink-0 flex-col gap-2 border-b border-line px-4 py-2.5 md:px-5">
        <QueryBar label="Narrow the usage" placeholder="All conversations; type a query to narrow" q={q} onQuery={onQuery} onHelp={onHelp} error={usage.error} />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <Scrolling>
            <Segments label="Period" value={since} options={periodsWith(since)} onChange={onSince} />
          </Scrolling>
          <Scrolling>
            <Segments label="Group by" value={by} options={GROUPINGS} onChange={onBy} />
          </Scrolling>
          <Segments
            label="Measure"
            value={measure}
            options={[
              { value: "cost", label: "Cost" },
              { value: "tokens", label: "Tokens" },
            ]}
            onChange={onMeasure}
          />
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Answer usage={usage} q={q} since={since} measure={measure} onQuery={onQuery} onSince={onSince} />
      </div>
    </div>
  )
}

/** Choices that are wider than a phone. */
function Scrolling({ children }: { children: ReactNode }) {
  return <div className="max-w-full overflow-x-auto whitespace-nowrap">{children}</div>
}

/** The periods, with the one of the address if it is none of them. */
function periodsWith(since: string): readonly { value: string; label: string }[] {
  return PERIODS.some(({ value }) => value === since) ? PERIODS : [...PERIODS, { value: since, label: `Since ${seenLine(since)}` }]
}

interface AnswerProps extends Pick<PageProps, "q" | "since" | "measure" | "onQuery" | "onSince"> {
  usage: ReturnType<typeof useUsage>
}

function Answer({ usage, q, since, measure, onQuery, onSince }: AnswerProps) {
  const { data, error } = usage
  if (error !== null && !(isProblem(error, "bad_query") && data !== undefined)) {
    return isProblem(error, "bad_query") ? null : <Unanswered error={error} title="The usage cannot be counted" onRetry={() => void usage.refetch()} />
  }
  if (data === undefined) return <Skeleton className="mx-auto mt-8 h-64 max-w-5xl" />
  const isEmpty = data.lines.length === 0 && data.tools.length === 0 && data.limits.length === 0
  if (isEmpty) {
    return (
      <EmptyState
        icon={<ChartColumn />}
        title="Nothing was used"
        actions={
          <>
            {since === "" ? null : <Button onClick={() => onSince("")}>All time</Button>}
            {q === "" ? null : <Button onClick={() => onQuery("")}>All conversations</Button>}
          </>
        }
      >
        <p>{since === "" && q === "" ? "No recorded conversation has used anything yet." : "No conversation of this query used anything in this period."}</p>
      </EmptyState>
    )
  }
  return <Shown shown={data} q={q} since={since} measure={measure} />
}

function Shown({ shown, q, since, measure }: { shown: UsageShown; q: string; since: string; measure: Measure }) {
  const backend = useBackend()
  const file = (by: Parameters<typeof backend.usageFileUrl>[1]): string => backend.usageFileUrl({ q, since }, by)
  return (
    <div className="mx-auto flex max-w-5xl flex-col gap-4 px-4 py-5 md:px-5">
      <Totals shown={shown} />
      <Notes shown={shown} />
      <Grouped shown={shown} measure={measure} csv={file(shown.by)} />
      <Tools shown={shown} csv={file("tool")} />
      <Waiting shown={shown} />
      <Week shown={shown} csv={file("hour")} />
      <Dearest shown={shown} csv={file("conversation")} />
      <DearestTurns shown={shown} />
      <Limits shown={shown} />
    </div>
  )
}

/** What a reader must know about the figures. */
function Notes({ shown }: { shown: UsageShown }) {
  const notes = [
    ...(shown.is_partial ? ["Not every conversation was checked: the query took too long. Narrow it."] : []),
    ...(shown.total.is_cost_lower_bound ? ["≥ marks a lower bound, ? what is not known."] : []),
    ...shown.unpriced.map((reason) => `${seenLine(reason)}.`),
    ...(shown.prices_dated === null ? [] : [`List prices of ${seenLine(shown.prices_dated)}.`]),
  ]
  return notes.length === 0 ? null : <p className="text-sm text-ink-3">{notes.join(" ")}</p>
}
