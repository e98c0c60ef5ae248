import type { ApprovalCard } from "@/api/schema"
import { PlaceLink } from "@/parts/place-link"
import { addressOf } from "@/parts/places"
import { useAgentName } from "./use-agent-name"

const FIRST = ["folder", "sub-agent", "agent says", "client says"]
/** Shown elsewhere on the card. */
const SHOWN_ELSEWHERE = ["asked", "until"]

/** Who asks and where; with `isRest`, the less important facts. */
export function CardFacts({ card, isRest = false, isHere }: { card: ApprovalCard; isRest?: boolean; isHere: boolean }) {
  const agent = useAgentName(isRest ? null : card)
  const facts = card.facts.filter(({ name }) => {
    if (SHOWN_ELSEWHERE.includes(name) || (isHere && name === "conversation")) return false
    return FIRST.includes(name) !== isRest
  })
  if (facts.length === 0) return null
  return (
    <dl className="approval-facts">
      {facts.map(({ name, text }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={name.endsWith(" says") ? "italic" : "font-mono"}>
            {name === "sub-agent" && agent !== null ? (
              <span className="font-sans">{agent}</span>
            ) : name === "conversation" && card.conversation !== null ? (
              <PlaceLink href={addressOf(card.conversation)} className="text-accent underline decoration-current/30 hover:decoration-current">
                {text}
              </PlaceLink>
            ) : (
              text
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
