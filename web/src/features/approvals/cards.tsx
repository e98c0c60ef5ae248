import { useRef } from "react"
import type { ApprovalCard as Card } from "@/api/schema"
import { PanelGuard } from "@/ui/panel-guard"
import { ApprovalCard } from "./approval-card"
import type { Entry } from "./card-list"
import { SettledCard } from "./outcome"
import type { Standing } from "./standing"

/** Cards one below the other; none of them changes its place. */
export function Cards({
  entries,
  late,
  standing,
  refusal = null,
  isHere = false,
  onAnswered,
  onLate,
  onDismiss,
}: {
  entries: readonly Entry[]
  late: ReadonlySet<string>
  standing: Standing | null
  refusal?: string | null
  isHere?: boolean
  onAnswered: (card: Card) => void
  onLate: (id: string) => void
  onDismiss: (id: string) => void
}) {
  const list = useRef<HTMLUListElement>(null)
  if (entries.length === 0) return null
  return (
    <ul ref={list} className="flex flex-col gap-3 compact:gap-2">
      {entries.map(({ card, isWaiting }) => (
        <li key={card.id}>
          <PanelGuard name={`The card of request ${card.id}`} of={card}>
            {isWaiting ? (
              <ApprovalCard card={card} standing={standing} refusal={refusal} isHere={isHere} onAnswered={onAnswered} onLate={onLate} />
            ) : (
              <SettledCard
                card={card}
                isLate={late.has(card.id)}
                hadFocus={hasFocus(list.current, card.id)}
                onDismiss={() => onDismiss(card.id)}
              />
            )}
          </PanelGuard>
        </li>
      ))}
    </ul>
  )
}

/** Whether the focus is in this card: then it must not be lost with its buttons. */
function hasFocus(list: HTMLElement | null, id: string): boolean {
  return list?.querySelector(`[data-approval="${CSS.escape(id)}"]`)?.contains(document.activeElement) ?? false
}
