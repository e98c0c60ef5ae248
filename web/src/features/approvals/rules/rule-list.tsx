import { useState } from "react"
import type { RuleShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { Button } from "@/ui/button"
import { Ago } from "@/ui/time"
import { useAttempt } from "@/ui/use-attempt"
import { Removing } from "../list-frame"

const TONES = { allow: "accent", deny: "failed", ask: "waiting" } as const

/** The rules that are switched on. `onRemove` is null if this browser may not remove one. */
export function RuleList({ rules, onRemove }: { rules: readonly RuleShown[]; onRemove: ((id: string) => Promise<void>) | null }) {
  if (rules.length === 0) return <p className="text-ink-2">There are no rules yet. Every request is left to you.</p>
  return (
    <ul className="approvals-list">
      {rules.map((rule) => (
        <Line key={rule.id} rule={rule} onRemove={onRemove === null ? null : () => onRemove(rule.id)} />
      ))}
    </ul>
  )
}

function Line({ rule, onRemove }: { rule: RuleShown; onRemove: (() => Promise<void>) | null }) {
  const [isAsking, setAsking] = useState(false)
  const { attempt, isBusy, trouble } = useAttempt()
  return (
    <li>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={TONES[rule.behavior]}>{rule.behavior}</Badge>
        <code className="min-w-0 flex-1 basis-48 font-mono text-sm wrap-anywhere">{seenLine(rule.text)}</code>
        <span className="ml-auto flex shrink-0 items-center gap-2 text-sm text-ink-3">
          {rule.by === null ? null : <span className="max-w-32 truncate">{seenLine(rule.by)}</span>}
          <Ago iso={rule.at} className="tabular-nums" />
          {onRemove === null || isAsking ? null : (
            <Button size="sm" aria-label={`Remove ${rule.text}`} onClick={() => setAsking(true)}>
              Remove
            </Button>
          )}
        </span>
      </div>
      {rule.trouble === null ? null : <p className="text-sm text-interrupted">Does not apply: {rule.trouble}.</p>}
      {isAsking && onRemove !== null ? (
        <Removing
          words="The next request is left to you."
          isBusy={isBusy}
          onRemove={() => void attempt(onRemove)}
          onLeave={() => setAsking(false)}
        />
      ) : null}
      {trouble === null ? null : (
        <p role="alert" className="text-sm break-words text-failed">
          {trouble}
        </p>
      )}
    </li>
  )
}
