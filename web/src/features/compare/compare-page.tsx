import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useBackend } from "@/api/follow"
import type { ComparedCounts, ComparisonAnswer, ConversationSummary } from "@/api/schema"
import { count, duration, elapsed, several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { modelsInShort } from "@/parts/model-name"
import { PlaceLink } from "@/parts/place-link"
import { addressOf } from "@/parts/places"
import { costInFull, costInShort, tokensInAll } from "@/parts/spending"
import { Button } from "@/ui/button"
import { ErrorState } from "@/ui/error-state"
import { Skeleton } from "@/ui/skeleton"
import { tip } from "@/ui/tooltip"
import { CompareSteps } from "./compare-steps"

const PAGE = 500

/** Two conversations next to each other: their facts, their files, and their steps. */
export default function ComparePage({ a, b }: { a: string; b: string }) {
  const backend = useBackend()
  const [pages, setPages] = useState(1)
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["compare", a, b, pages],
    queryFn: async ({ signal }) => {
      const first = await backend.compare(a, b, 0, PAGE, signal)
      const pairs = [...first.pairs]
      while (pairs.length < Math.min(first.total, pages * PAGE)) {
        const next = await backend.compare(a, b, pairs.length, PAGE, signal)
        if (next.pairs.length === 0) break
        pairs.push(...next.pairs)
      }
      return { ...first, pairs }
    },
    placeholderData: (before) => before,
  })
  if (data === undefined) {
    if (error !== null) return <ErrorState title="These conversations cannot be compared" message={error.message} onRetry={() => void refetch()} />
    return <Skeleton className="mx-auto mt-8 h-64 max-w-5xl" />
  }
  const left = data.total - data.pairs.length
  return (
    <div className="h-full overflow-y-auto" role="region" aria-label="Comparison" tabIndex={-1}>
      <div className="mx-auto flex max-w-6xl flex-col gap-6 px-3 py-5 md:px-5 md:py-7">
        <h1 className="text-xl font-semibold tracking-tight">Compare</h1>
        <Facts compared={data} />
        <Files compared={data} />
        <p className="text-ink-2">{partingInWords(data)}</p>
        <CompareSteps compared={data} />
        {left > 0 ? (
          <Button disabled={isFetching} onClick={() => setPages(pages + 1)}>
            Show more: {several(left, "step")} left
          </Button>
        ) : null}
      </div>
    </div>
  )
}

function partingInWords({ is_equal, is_fork, stem }: ComparisonAnswer): string {
  if (is_equal) return "Both have the same steps."
  if (stem === 0) return "They differ from the first step on."
  return is_fork ? `They have ${several(stem, "step")} of history in common.` : `They are the same for ${several(stem, "step")}.`
}

function Facts({ compared: { a, b, is_equal, stem } }: { compared: ComparisonAnswer }) {
  const isDivided = stem > 0 && !is_equal
  const counted = (name: keyof ComparedCounts): [string, string] => [
    inNumbers(a.counts[name], isDivided ? a.after[name] : null),
    inNumbers(b.counts[name], isDivided ? b.after[name] : null),
  ]
  const both = (of: (summary: ConversationSummary) => string): [string, string] => [of(a.summary), of(b.summary)]
  const rows: [string, [string, string]][] = [
    ["Workspace", both((each) => seenLine(each.workspace_name))],
    ["Model", both((each) => seenLine(modelsInShort(each.models)?.name ?? ""))],
    ["Duration", both((each) => inTime(elapsed(each.started_at, each.ended_at)))],
    ["Tokens", both((each) => count(tokensInAll(each.tokens)))],
    ["Prompts", counted("prompts")],
    ["Answers", counted("answers")],
    ["Calls", counted("calls")],
    ["Failed calls", counted("failed_calls")],
    ["Files written", counted("files")],
    ["Sub-agents", both((each) => String(each.sub_agents))],
  ]
  return (
    <table className="w-full table-fixed text-left">
      <caption className="sr-only">Facts about both conversations</caption>
      <thead>
        <tr className="border-b border-line align-bottom">
          <th scope="col" className="w-28 py-1 font-medium text-ink-3 max-sm:w-20">
            <span className="sr-only">Fact</span>
          </th>
          {[a.summary, b.summary].map((summary, at) => (
            <th key={at} scope="col" className="px-2 py-1 font-semibold">
              <PlaceLink href={addressOf(summary.name)} className="line-clamp-2 break-words hover:underline">
                {at === 0 ? "A" : "B"} · {seenLine(summary.title) || summary.id}
              </PlaceLink>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, [one, other]]) => (
          <tr key={name}>
            <th scope="row" className="py-0.5 font-normal text-ink-3">
              {name}
            </th>
            <td className="px-2 py-0.5 break-words">{one}</td>
            <td className="px-2 py-0.5 break-words">{other}</td>
          </tr>
        ))}
        <tr>
          <th scope="row" className="py-0.5 font-normal text-ink-3">
            Cost
          </th>
          {[a.summary, b.summary].map((summary, at) => (
            <td key={at} className="px-2 py-0.5">
              <span {...tip(costInFull(summary))}>{costInShort(summary) ?? ""}</span>
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  )
}

function inNumbers(total: number, after: number | null): string {
  return after === null || total === 0 ? String(total) : `${total} (${after} after they part)`
}

function inTime(ms: number | null): string {
  return ms === null ? "" : duration(ms)
}

function Files({ compared: { files } }: { compared: ComparisonAnswer }) {
  if (files.length === 0) return null
  return (
    <details>
      <summary className="cursor-pointer text-ink-2">{several(files.length, "file")} written</summary>
      <table className="mt-2 w-full text-left">
        <caption className="sr-only">Files, and how many calls wrote them</caption>
        <thead>
          <tr className="border-b border-line text-ink-3">
            <th scope="col" className="py-1 font-medium">
              Path
            </th>
            {["A", "B", "In both"].map((name) => (
              <th key={name} scope="col" className="w-16 px-2 py-1 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr key={file.path}>
              <td className="py-0.5 font-mono break-all">{seenLine(file.path)}</td>
              <td className="px-2 text-right">{file.a}</td>
              <td className="px-2 text-right">{file.b}</td>
              <td className="px-2 text-right">{file.in_both}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
