import { KeyRound, MonitorSmartphone } from "lucide-react"
import { type ReactNode, useState } from "react"
import type { ApproverShown, Enrolment } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { Button } from "@/ui/button"
import { Ago } from "@/ui/time"
import { tip } from "@/ui/tooltip"
import { AdmitCommand } from "./admit-command"
import { codeOf } from "./in-words"
import { useAttempt } from "@/ui/use-attempt"
import type { ThisBrowser } from "./use-this-browser"

/** The approvers, the browsers that ask to become one, and how to change both. */
export function ApproversSection({ browser }: { browser: ThisBrowser }) {
  const { approvers, standing, key, error, admit, remove } = browser
  if (approvers === null) {
    return error === null ? null : <p role="alert" className="text-failed">Who may approve cannot be read: {error.message}</p>
  }
  const isApprover = standing === "approver"
  return (
    <section aria-labelledby="approvers-title" className="flex flex-col gap-2">
      <h2 id="approvers-title" className="text-sm font-semibold text-ink-2">
        Who may approve
      </h2>
      {approvers.waiting.length === 0 ? null : (
        <ul className="approvals-list">
          {approvers.waiting.map((enrolment) => (
            <Waiting
              key={enrolment.id}
              enrolment={enrolment}
              isOwn={enrolment.id === key?.id}
              approvers={approvers.approvers}
              onAdmit={isApprover ? () => admit(enrolment) : null}
            />
          ))}
        </ul>
      )}
      {approvers.approvers.length === 0 ? (
        <p className="text-ink-2">Nobody yet. Until somebody may approve, requests can only be denied here.</p>
      ) : (
        <ul className="approvals-list">
          {approvers.approvers.map((approver) => (
            <Approver
              key={approver.id}
              approver={approver}
              isOwn={approver.id === key?.id}
              onRemove={isApprover && approvers.approvers.length > 1 ? () => remove(approver.id) : null}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

interface WaitingProps {
  enrolment: Enrolment
  isOwn: boolean
  approvers: readonly ApproverShown[]
  onAdmit: (() => Promise<void>) | null
}

function Waiting({ enrolment, isOwn, approvers, onAdmit }: WaitingProps) {
  const name = seenLine(enrolment.name)
  const code = codeOf(enrolment.id)
  return (
    <Line
      icon={<MonitorSmartphone aria-hidden className="text-waiting" />}
      name={name}
      badge={isOwn ? <Badge tone="accent">this browser</Badge> : <Badge tone="waiting">waits</Badge>}
      code={code}
      when={enrolment.asked_at}
      note={isOwn ? <AdmitCommand id={enrolment.id} approvers={approvers} /> : null}
      verb="Admit"
      question={`Admit “${name}” only if that browser shows this code: ${code}. From then on it may allow anything here.`}
      onConfirm={onAdmit}
    />
  )
}

function Approver({ approver, isOwn, onRemove }: { approver: ApproverShown; isOwn: boolean; onRemove: (() => Promise<void>) | null }) {
  const name = seenLine(approver.name)
  return (
    <Line
      icon={<KeyRound aria-hidden className="text-ink-3" />}
      name={name}
      badge={isOwn ? <Badge tone="accent">this browser</Badge> : <Badge>{approver.kind === "browser" ? "browser" : "passphrase"}</Badge>}
      code={codeOf(approver.id)}
      when={approver.added_at}
      note={null}
      verb="Remove"
      question={
        isOwn
          ? "Remove this browser? It could then only deny, and would have to be admitted again."
          : `Remove “${name}”? It could then only deny. What it has approved stays approved.`
      }
      onConfirm={onRemove}
    />
  )
}

interface LineProps {
  icon: ReactNode
  name: string
  badge: ReactNode
  code: string
  when: string
  note: ReactNode
  verb: string
  question: string
  onConfirm: (() => Promise<void>) | null
}

/** One approver or browser; its action asks for confirmation. */
function Line({ icon, name, badge, code, when, note, verb, question, onConfirm }: LineProps) {
  const [isAsking, setAsking] = useState(false)
  const { attempt, isBusy, trouble } = useAttempt()
  const confirm = async () => {
    if (onConfirm === null) return
    await onConfirm()
    setAsking(false)
  }
  return (
    <li>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 [&>svg]:size-4 [&>svg]:shrink-0">
        {icon}
        <span className="min-w-0 truncate font-medium">{name}</span>
        {badge}
        <code className="font-mono text-sm whitespace-nowrap text-ink-3" {...tip("The beginning of its key's fingerprint")}>
          {code}
        </code>
        <span className="ml-auto flex shrink-0 items-center gap-2">
          <Ago iso={when} className="text-sm text-ink-3 tabular-nums" />
          {onConfirm === null || isAsking ? null : (
            <Button size="sm" aria-label={`${verb} ${name}`} onClick={() => setAsking(true)}>
              {verb}
            </Button>
          )}
        </span>
      </div>
      {note === null ? null : <div className="mt-1">{note}</div>}
      {isAsking ? (
        <div className="mt-1 flex flex-col gap-2 rounded-md bg-interrupted-soft p-2">
          <p>{question}</p>
          <div className="flex gap-2">
            <Button size="sm" kind="primary" disabled={isBusy} onClick={() => void attempt(confirm)}>
              {verb} it
            </Button>
            <Button size="sm" onClick={() => setAsking(false)}>
              Leave it
            </Button>
          </div>
        </div>
      ) : null}
      {trouble === null ? null : (
        <p role="alert" className="text-sm text-failed break-words">
          {trouble}
        </p>
      )}
    </li>
  )
}
