import { ChevronDown, ChevronRight } from "lucide-react"
import { useState } from "react"
import type { ApprovalCard } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { IconButton } from "@/ui/button"
import { CardBlocks } from "./card-content"
import { CardFacts } from "./card-facts"
import { CardHints } from "./card-hints"
import { Outcome } from "./outcome"

/** The decisions, newest first. */
export function SettledList({ cards }: { cards: readonly ApprovalCard[] }) {
  if (cards.length === 0) return null
  return (
    <section aria-labelledby="settled-title" className="flex flex-col gap-2">
      <h2 id="settled-title" className="text-sm font-semibold text-ink-2">
        Settled
      </h2>
      <ul className="approvals-list">
        {cards.map((card) => (
          <SettledLine key={card.id} card={card} />
        ))}
      </ul>
    </section>
  )
}

function SettledLine({ card }: { card: ApprovalCard }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <div className="flex items-start gap-1">
        <Outcome card={card} />
        <IconButton label={isOpen ? "Close" : "What was asked"} aria-expanded={isOpen} className="-mt-0.5 size-6" onClick={() => setOpen(!isOpen)}>
          {isOpen ? <ChevronDown /> : <ChevronRight />}
        </IconButton>
      </div>
      {isOpen ? (
        <div className="mt-2 flex flex-col gap-2" data-wrap>
          <CardHints hints={card.hints} />
          <CardFacts card={card} isHere={false} />
          <CardBlocks card={card} />
          <BlockView block={card.whole} at={`${card.id}/whole`} />
          <CardFacts card={card} isRest isHere={false} />
        </div>
      ) : null}
    </li>
  )
}
