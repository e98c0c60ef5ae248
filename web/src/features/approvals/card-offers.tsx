import { useId } from "react"
import type { ApprovalOffer } from "@/api/schema"
import { Badge } from "@/ui/badge"
import { Quoted } from "./quoted"

/** Rules that the client would remember; each can be accepted separately, and none is accepted unless it is ticked. */
export function CardOffers({
  offers,
  chosen,
  onChosen,
}: {
  offers: readonly ApprovalOffer[]
  chosen: readonly number[]
  onChosen: (chosen: number[]) => void
}) {
  const id = useId()
  if (offers.length === 0) return null
  const flip = (index: number) =>
    onChosen(chosen.includes(index) ? chosen.filter((each) => each !== index) : [...chosen, index])
  return (
    <fieldset className="approval-offers">
      <legend>Approve, and from now on also …</legend>
      {offers.map(({ index, words, is_wide, text }) => (
        <div key={index} className="approval-offer">
          <input
            id={`${id}-${index}`}
            type="checkbox"
            checked={chosen.includes(index)}
            onChange={() => flip(index)}
          />
          <div className="min-w-0 flex-1">
            <label htmlFor={`${id}-${index}`} className="break-words">
              <Quoted text={words} /> {is_wide ? <Badge tone="warning">reaches far</Badge> : null}
            </label>
            <details>
              <summary>Exactly</summary>
              <code>{text}</code>
            </details>
          </div>
        </div>
      ))}
    </fieldset>
  )
}
