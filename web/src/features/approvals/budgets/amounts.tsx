import { Link } from "@tanstack/react-router"
import type { BudgetAmount } from "@/api/schema"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { nameParts } from "@/parts/places"
import { Progress } from "@/ui/progress"

const TONES = { fine: "accent", warning: "waiting", spent: "failed" } as const
const INKS = { fine: "text-ink-3", warning: "text-waiting", spent: "text-failed" } as const
const WORDS = { fine: "", warning: " · nearly used up", spent: " · used up" } as const

/** Where a budget counts now, each with a bar that says how much of it is used. */
export function Amounts({ amounts, more }: { amounts: readonly BudgetAmount[]; more: number }) {
  if (amounts.length === 0) return <p className="text-sm text-ink-3">It limits nothing at the moment.</p>
  return (
    <>
      <ul className="flex flex-col gap-1.5" aria-label="Used">
        {amounts.map((each) => (
          <Amount key={`${each.conversation ?? each.label} ${each.use.measure} ${each.use.scope}`} amount={each} />
        ))}
      </ul>
      {more === 0 ? null : <p className="text-sm text-ink-3">And {several(more, "more amount")}, of which less is used.</p>}
    </>
  )
}

function Amount({ amount: { label, conversation, use } }: { amount: BudgetAmount }) {
  const words = seenLine(use.words)
  return (
    <li className="flex min-w-0 flex-col gap-0.5 text-sm">
      <span className="flex min-w-0 flex-wrap gap-x-3">
        <span className={`tabular-nums ${INKS[use.state]}`}>
          {words}
          {WORDS[use.state]}
        </span>
        {label === "" ? null : conversation === null ? (
          <span className="min-w-0 truncate text-ink-2">{seenLine(label)}</span>
        ) : (
          <Link to="/c/$workspace/$agent/$conversation" params={nameParts(conversation)} className="min-w-0 truncate text-accent hover:underline">
            {seenLine(label)}
          </Link>
        )}
      </span>
      <Progress done={use.share} total={1} tone={TONES[use.state]} label={label === "" ? words : `${words}, ${seenLine(label)}`} className="max-w-md" />
    </li>
  )
}
