import { Link } from "@tanstack/react-router"
import { useId, useState } from "react"
import { useBackend } from "@/api/follow"
import type { RuleTest } from "@/api/schema"
import { Button } from "@/ui/button"
import { useAttempt } from "@/ui/use-attempt"
import { RulePreview } from "./rule-preview"

interface TryRuleProps {
  text: string
  onText: (text: string) => void
  /** null if this browser may not switch a rule on. */
  onAdd: ((text: string) => Promise<void>) | null
}

/** The form in which a rule is written, tried on history, and then switched on. */
export function TryRule({ text, onText, onAdd }: TryRuleProps) {
  const id = useId()
  const backend = useBackend()
  const [found, setFound] = useState<RuleTest | null>(null)
  const { attempt, isBusy, trouble } = useAttempt()

  const tryIt = async () => {
    setFound(null)
    setFound(await backend.testRule(text.trim()))
  }
  const add = async () => {
    if (found === null || onAdd === null) return
    await onAdd(found.text)
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
        Try a rule on what was recorded
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id={id}
          value={text}
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          placeholder='allow command:"git status *"'
          className="h-7 min-w-0 flex-1 basis-64 rounded-md border border-line-strong bg-surface px-2 font-mono text-lg outline-offset-0 sm:text-base"
          onChange={(event) => {
            onText(event.target.value)
            setFound(null)
          }}
        />
        <Button type="submit" kind="primary" disabled={text.trim() === "" || isBusy}>
          {isBusy ? "Trying …" : "Try it"}
        </Button>
      </div>
      <p className="text-sm text-ink-2">
        <code>allow</code>, <code>deny</code> or <code>ask</code>, then conditions: <code>tool:Read,Grep</code> <code>command:&quot;pytest *&quot;</code>{" "}
        <code>path:inside</code> <code>host:docs.python.org</code> <code>workspace:</code> <code>agent:</code> <code>subagent:no</code>{" "}
        <code>env:CI</code> <code>hours:09:00-18:00</code> <code>days:mon-fri</code> <code>until:2026-12-24</code>
      </p>
      {trouble === null ? null : (
        <p role="alert" className="text-failed break-words">
          {trouble}
        </p>
      )}
      {found === null ? null : (
        <RulePreview found={found}>
          {onAdd === null ? (
            <p className="text-ink-2">
              To switch it on, make this browser an approver on the page{" "}
              <Link to="/approvals" hash="approvers" className="text-accent underline">
                Approvals
              </Link>
              , or use <code>chorus rules add</code>.
            </p>
          ) : (
            <Button kind="primary" disabled={isBusy} onClick={() => void attempt(add)}>
              Switch it on
            </Button>
          )}
        </RulePreview>
      )}
    </form>
  )
}
