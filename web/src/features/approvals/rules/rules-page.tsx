import { useState } from "react"
import type { Rules, RuleSuggestions } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Button } from "@/ui/button"
import { ErrorState } from "@/ui/error-state"
import { Skeleton } from "@/ui/skeleton"
import { ListFrame, Warnings } from "../list-frame"
import { useThisBrowser } from "../use-this-browser"
import { RuleList } from "./rule-list"
import { TryRule } from "./try-rule"
import { useRules, useSuggestions } from "./use-rules"

/** The rules that answer requests in a person's place. A rule is tried on history before it is switched on. */
export default function RulesPage() {
  const { query, add, remove } = useRules()
  const { standing } = useThisBrowser()
  const [text, setText] = useState("")
  const { data: found, error } = query
  const isApprover = standing === "approver"
  if (found === undefined && error !== null) {
    return <ErrorState title="The rules cannot be read" message={error.message} onRetry={() => void query.refetch()} />
  }
  return (
    <ListFrame title="Rules" intro="A rule answers routine permission requests in your place. Try it first on what was recorded, then switch it on.">
      {found === undefined ? null : (
        <Warnings whole="No rule that allows is applied" trouble={found.trouble} entry="Not applied" rejected={found.rejected} />
      )}
      <TryRule text={text} onText={setText} onAdd={isApprover ? add : null} />
      <section aria-labelledby="rules-title" className="flex flex-col gap-2">
        <h2 id="rules-title" className="text-sm font-semibold text-ink-2">
          Rules that answer requests
        </h2>
        {found === undefined ? <Skeleton className="h-16" /> : <RuleList rules={found.rules} onRemove={isApprover ? remove : null} />}
      </section>
      <Suggested onTry={setText} />
      {found === undefined || found.client_rules.length === 0 ? null : <ClientRules rules={found.client_rules} />}
    </ListFrame>
  )
}

function Suggested({ onTry }: { onTry: (text: string) => void }) {
  const found = useSuggestions().data?.suggestions
  if (found === undefined) return null
  return (
    <section aria-labelledby="suggested-title" className="flex flex-col gap-2">
      <h2 id="suggested-title" className="text-sm font-semibold text-ink-2">
        Your history suggests
      </h2>
      <p className="text-sm text-ink-2">
        {found.length === 0
          ? "Nothing yet. A rule is suggested when the same thing was allowed at least three times and never denied."
          : "Nothing is switched on by itself: “Fill in” writes a rule into the field above."}
      </p>
      {found.length === 0 ? null : <SuggestedList found={found} onTry={onTry} />}
    </section>
  )
}

function SuggestedList({ found, onTry }: { found: RuleSuggestions["suggestions"]; onTry: (text: string) => void }) {
  return (
    <ul className="approvals-list">
      {found.map(({ text, approved, ran }) => (
        <li key={text}>
          <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <code className="min-w-0 flex-1 basis-48 font-mono text-sm wrap-anywhere">{text}</code>
            <span className="text-sm text-ink-3 tabular-nums">{historyOf(approved, ran)}, never denied</span>
            <Button
              size="sm"
              aria-label={`Fill in ${text}`}
              onClick={() => {
                onTry(text)
                document.querySelector(".approvals-page")?.scrollTo({ top: 0 })
              }}
            >
              Fill in
            </Button>
          </div>
        </li>
      ))}
    </ul>
  )
}

function historyOf(approved: number, ran: number): string {
  const parts = [approved > 0 ? `you approved it ${approved}×` : "", ran > 0 ? `ran unasked ${ran}×` : ""]
  return parts.filter((each) => each !== "").join(", ")
}

function ClientRules({ rules }: { rules: Rules["client_rules"] }) {
  return (
    <section aria-labelledby="client-rules-title" className="flex flex-col gap-2">
      <h2 id="client-rules-title" className="text-sm font-semibold text-ink-2">
        Rules of the client
      </h2>
      <p className="text-sm text-ink-2">What these allow or deny never becomes a request here.</p>
      <ul className="approvals-list">
        {rules.map(({ behavior, text, file }) => (
          <li key={`${behavior} ${text} ${file}`}>
            <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
              <span className="text-sm font-medium text-ink-2">{behavior}</span>
              <code className="min-w-0 flex-1 basis-48 font-mono text-sm wrap-anywhere">{seenLine(text)}</code>
              <span className="min-w-0 text-sm wrap-anywhere text-ink-3">{seenLine(file)}</span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
