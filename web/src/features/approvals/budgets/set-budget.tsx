import { Link } from "@tanstack/react-router"
import { useId, useState } from "react"
import { useBackend } from "@/api/follow"
import type { BudgetTest } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Button } from "@/ui/button"
import { useAttempt } from "@/ui/use-attempt"
import { Amounts } from "./amounts"

interface SetBudgetProps {
  text: string
  onText: (text: string) => void
  /** null if this browser may not set a budget. */
  onSet: ((budget: BudgetTest) => Promise<void>) | null
}

/** The form in which a budget is written, looked at beside what is used already, and then set. */
export function SetBudget({ text, onText, onSet }: SetBudgetProps) {
  const id = useId()
  const backend = useBackend()
  const [found, setFound] = useState<BudgetTest | null>(null)
  const { attempt, isBusy, trouble } = useAttempt()

  const tryIt = async () => {
    setFound(null)
    setFound(await backend.testBudget(text.trim()))
  }
  const set = async () => {
    if (found === null || onSet === null) return
    await onSet(found)
    setFound(null)
    onText("")
  }
  return (
    <form
      className="enrol"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== "") void attempt(tryIt)
      }}
    >
      <label htmlFor={id} className="font-semibold">
        Set a budget
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id={id}
          value={text}
          maxLength={500}
          autoComplete="off"
          spellCheck={false}
          placeholder="run money:5 minutes:60"
          className="h-7 min-w-0 flex-1 basis-64 rounded-md border border-line-strong bg-surface px-2 font-mono text-lg outline-offset-0 sm:text-base"
          onChange={(event) => {
            onText(event.target.value)
            setFound(null)
          }}
        />
        <Button type="submit" kind="primary" disabled={text.trim() === "" || isBusy}>
          {isBusy ? "Looking …" : "Look at it"}
        </Button>
      </div>
      <p className="text-sm text-ink-2">
        <code>run</code>, <code>conversation</code>, <code>workspace</code> or <code>day</code>, then limits: <code>money:5</code>{" "}
        <code>tokens:2M</code> <code>turns:20</code> <code>minutes:60</code> <code>errors:5</code> <code>loops:3</code>. With <code>workspace:NAME</code>{" "}
        it counts there; with <code>only:ID</code> it is an exception for one, and a limit may be <code>none</code>.
      </p>
      {trouble === null ? null : (
        <p role="alert" className="text-failed break-words">
          {trouble}
        </p>
      )}
      {found === null ? null : <Preview found={found} isBusy={isBusy} onSet={onSet === null ? null : () => void attempt(set)} />}
    </form>
  )
}

function Preview({ found, isBusy, onSet }: { found: BudgetTest; isBusy: boolean; onSet: (() => void) | null }) {
  const isOver = found.amounts.some(({ conversation, use }) => conversation !== null && use.state === "spent")
  return (
    <section aria-label="What the budget would limit" className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3">
      <p role="status">
        <code className="font-mono text-sm break-all">{seenLine(found.text)}</code>{" "}
        {found.replaces === null ? "limits this now:" : null}
        {found.replaces === null ? null : (
          <>
            replaces <code className="font-mono text-sm break-all">{seenLine(found.replaces)}</code>, and limits this now:
          </>
        )}
      </p>
      <Amounts amounts={found.amounts} more={found.more} />
      {isOver ? <p className="text-failed">Runs that have used it up are stopped as soon as it is set.</p> : null}
      {onSet === null ? (
        <p className="text-ink-2">
          To set it, make this browser an approver on the page{" "}
          <Link to="/approvals" hash="approvers" className="text-accent underline">
            Approvals
          </Link>
          , or use <code>chorus budget set</code>.
        </p>
      ) : (
        <Button kind="primary" disabled={isBusy} onClick={onSet}>
          Set it
        </Button>
      )}
    </section>
  )
}
