import { ChevronDown, ChevronUp } from "lucide-react"
import { useState } from "react"
import { Button } from "@/ui/button"
import { cx } from "@/ui/cx"
import "./approvals.css"
import { Cards } from "./cards"
import { waitingInWords } from "./in-words"
import { useCards } from "./use-cards"
import { useThisBrowser } from "./use-this-browser"

/** The requests of one conversation, below its messages. */
export default function WaitingDock({ conversation }: { conversation: string }) {
  const { entries, late, answered, cameLate, dismiss } = useCards(conversation)
  const { standing } = useThisBrowser()
  const [isOpen, setOpen] = useState(true)
  if (entries.length === 0) return null
  const waiting = entries.filter(({ isWaiting }) => isWaiting).length
  return (
    <section aria-label="Waiting for you" className="waiting-dock">
      <div className="inner">
        <p className={cx("mb-2 flex items-center justify-between text-sm font-semibold", waiting === 0 ? "text-ink-2" : "text-waiting")}>
          <span role="status">{waitingInWords(waiting)}</span>
          <Button kind="quiet" size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? <ChevronDown aria-hidden /> : <ChevronUp aria-hidden />}
            {isOpen ? "Hide" : "Show"}
          </Button>
        </p>
        {isOpen ? (
          <Cards
            entries={entries}
            late={late}
            standing={standing}
            isHere
            onAnswered={answered}
            onLate={cameLate}
            onDismiss={dismiss}
          />
        ) : null}
      </div>
    </section>
  )
}
