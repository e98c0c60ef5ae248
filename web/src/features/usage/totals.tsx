import type { UsageShown } from "@/api/schema"
import { count } from "@/blocks/text/figures"
import { costOf, outputOf, share, took } from "./in-words"

/** The sums over everything that the page is about. */
export function Totals({ shown }: { shown: UsageShown }) {
  const { total, turns } = shown
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-6">
      <Figure name="Cost" value={costOf(total)} beside={total.reported_usd === null ? null : `reported $${total.reported_usd.toFixed(2)}`} />
      <Figure name="Output tokens" value={outputOf(total)} beside={`${count(total.input)} input`} />
      <Figure name="Cache read" value={count(total.cache_read)} beside={`${count(total.cache_creation)} written`} />
      <Figure name="Cache hit rate" value={share(total.cache_hit_rate)} beside="of prompt tokens" />
      <Figure name="Conversations" value={count(shown.conversations)} beside={`${count(shown.prompts)} prompts`} />
      <Figure name="Turns" value={count(turns.calls)} beside={`p50 ${took(turns.p50_ms)}, p95 ${took(turns.p95_ms)}`} />
    </dl>
  )
}

function Figure({ name, value, beside }: { name: string; value: string; beside: string | null }) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-sm text-ink-3">{name}</dt>
      <dd className="text-xl font-semibold tracking-tight tabular-nums">{value}</dd>
      {beside === null ? null : <dd className="truncate text-sm text-ink-3">{beside}</dd>}
    </div>
  )
}
