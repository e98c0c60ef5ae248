import { Ban, Check, CornerUpRight, Hourglass, type LucideIcon, ShieldX, Undo2, X } from "lucide-react"
import { type ReactNode, useEffect, useRef } from "react"
import type { ApprovalCard } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { IconButton } from "@/ui/button"
import { cx } from "@/ui/cx"
import { Ago } from "@/ui/time"
import { deciderOf, effectOf, outcomeOf, tooLate } from "./in-words"
import { askedOf } from "./questions"

const LOOKS: Record<ApprovalCard["state"], { icon: LucideIcon; colour: string }> = {
  pending: { icon: Hourglass, colour: "text-ink-3" },
  approved: { icon: Check, colour: "text-running" },
  denied: { icon: Ban, colour: "text-failed" },
  answered: { icon: CornerUpRight, colour: "text-ink-2" },
  expired: { icon: Hourglass, colour: "text-ink-3" },
  withdrawn: { icon: Undo2, colour: "text-ink-3" },
  invalid: { icon: ShieldX, colour: "text-interrupted" },
}

/** The request and its outcome, in two lines. */
export function Outcome({ card, children }: { card: ApprovalCard; children?: ReactNode }) {
  const { icon: Icon, colour } = LOOKS[card.state]
  const message = card.decision?.message ?? ""
  return (
    <div className="approval-outcome">
      <Icon aria-hidden className={cx("mt-0.5 size-4 shrink-0", colour)} />
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-3">
          <span className="min-w-0 truncate font-medium">{lineOf(card)}</span>
          <Ago iso={card.settled_at ?? card.created_at} className="ml-auto shrink-0 text-sm text-ink-3 tabular-nums" />
        </p>
        <p className="text-sm text-ink-2 break-words">
          <span className={colour}>{outcomeOf(card)}</span> {deciderOf(card)}
          <Effect card={card} />
          {message === "" ? null : <span className="block text-ink-2">“{seenLine(message)}”</span>}
        </p>
        {children}
      </div>
    </div>
  )
}

/** Whether the decision reached the client in time, and why not. */
function Effect({ card }: { card: ApprovalCard }) {
  const words = effectOf(card)
  if (words === "") return null
  const isBad = words === "too late" || card.effect === "failed"
  return <span className={isBad ? "font-medium text-interrupted" : "whitespace-nowrap text-ink-3"}> · {words}</span>
}

/** A settled card that was shown here while it was open. It receives the focus that its buttons had. */
export function SettledCard({
  card,
  isLate,
  hadFocus,
  onDismiss,
}: {
  card: ApprovalCard
  isLate: boolean
  hadFocus: boolean
  onDismiss: () => void
}) {
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    if (hadFocus) frame.current?.focus({ preventScroll: true })
  }, [hadFocus])
  return (
    <article ref={frame} tabIndex={-1} aria-label={`${card.title}: ${outcomeOf(card)}`} data-approval={card.id} className="approval settled">
      <Outcome card={card}>
        {isLate ? <p className="mt-1 text-sm font-medium text-interrupted">{tooLate(card)}</p> : null}
        <p role="status" className="sr-only">
          {outcomeOf(card)} {deciderOf(card)} {effectOf(card)} {isLate ? tooLate(card) : ""}
        </p>
      </Outcome>
      <IconButton label="Dismiss" className="size-6" onClick={onDismiss}>
        <X />
      </IconButton>
    </article>
  )
}

/** The request on one line: its title and, for a command or questions, their beginning. */
function lineOf(card: ApprovalCard): string {
  const first = card.blocks[0]
  if (first?.type === "shell") return `${card.title}: ${seenLine(first.command.slice(0, 300))}`
  const asked = askedOf(card)?.questions[0]
  return asked === undefined ? card.title : `${card.title}: ${seenLine(asked.question.slice(0, 300))}`
}
