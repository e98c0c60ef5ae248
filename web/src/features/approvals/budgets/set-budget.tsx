import { useBackend } from "@/api/follow"
import type { BudgetTest } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Accept, TrialForm } from "../trial-form"
import { Amounts } from "./amounts"

interface SetBudgetProps {
  text: string
  onText: (text: string) => void
  /** null if this browser may not set a budget. */
  onSet: ((budget: BudgetTest) => Promise<void>) | null
}

/** The form in which a budget is written, looked at beside what is used already, and then set. */
export function SetBudget({ text, onText, onSet }: SetBudgetProps) {
  const backend = useBackend()
  return (
    <TrialForm
      text={text}
      onText={onText}
      title="Set a budget"
      placeholder="run money:5 minutes:60"
      maxLength={500}
      button={["Look at it", "Looking …"]}
      hint={
        <>
          <code>run</code>, <code>conversation</code>, <code>workspace</code> or <code>day</code>, then limits: <code>money:5</code>{" "}
          <code>tokens:2M</code> <code>turns:20</code> <code>minutes:60</code> <code>errors:5</code> <code>loops:3</code>. With{" "}
          <code>workspace:NAME</code> it counts there; with <code>only:ID</code> it is an exception for one, and a limit may be{" "}
          <code>none</code>.
        </>
      }
      tryIt={(given) => backend.testBudget(given)}
      onAccept={onSet}
      preview={(found, accept, isBusy) => <Preview found={found} isBusy={isBusy} accept={accept} />}
    />
  )
}

function Preview({ found, isBusy, accept }: { found: BudgetTest; isBusy: boolean; accept: (() => void) | null }) {
  const isOver = found.amounts.some(({ conversation, use }) => conversation !== null && use.state === "spent")
  return (
    <section aria-label="What the budget would limit" className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3">
      <p role="status">
        <code className="font-mono text-sm wrap-anywhere">{seenLine(found.text)}</code>{" "}
        {found.replaces === null ? "limits this now:" : null}
        {found.replaces === null ? null : (
          <>
            replaces <code className="font-mono text-sm wrap-anywhere">{seenLine(found.replaces)}</code>, and limits this now:
          </>
        )}
      </p>
      <Amounts amounts={found.amounts} more={found.more} />
      {isOver ? <p className="text-failed">Runs that have used it up are stopped as soon as it is set.</p> : null}
      <Accept accept={accept} isBusy={isBusy} label="Set it" words="set it" command="chorus budget set" />
    </section>
  )
}
