import type { ReactNode } from "react"
import "./approvals.css"
import { Cards } from "./cards"
import { useCards } from "./use-cards"
import { useThisBrowser } from "./use-this-browser"

/**
 * The requests of all conversations, for a page that shows more than them. `children` places the cards, and is given
 * the ids of those that still wait.
 */
export default function WaitingFirst({
  refusal,
  children,
}: {
  /** Why this login may not answer; null if it may. */
  refusal: string | null
  children: (cards: ReactNode, pending: ReadonlySet<string>) => ReactNode
}) {
  const { entries, late, answered, cameLate, dismiss } = useCards(null)
  const { standing } = useThisBrowser()
  const pending = new Set(entries.filter(({ isWaiting }) => isWaiting).map(({ card }) => card.id))
  return children(
    <Cards
      entries={entries}
      late={late}
      standing={standing}
      refusal={refusal}
      onAnswered={answered}
      onLate={cameLate}
      onDismiss={dismiss}
    />,
    pending,
  )
}
