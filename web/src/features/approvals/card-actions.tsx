import { Check, ChevronDown, ChevronRight, MessageSquareX, PencilLine, X } from "lucide-react"
import { type RefObject, useId, useState } from "react"
import { Button } from "@/ui/button"
import type { Still } from "@/ui/still"
import type { ActionWords } from "./action-words"
import { DeliberateButton } from "./deliberate-button"
import type { Standing } from "./standing"

/** On a phone: half of the width and 48 points high, with a gap in between that no thumb covers. */
const THUMB = "max-sm:h-12 max-sm:basis-[calc(50%-0.75rem)] max-sm:whitespace-normal"

interface ActionsProps {
  /** The part with the answers, which stays in reach. */
  bar: RefObject<HTMLDivElement | null>
  /** Whether a part of the request was not visible yet. */
  isMore: boolean
  words: ActionWords
  still: Still
  standing: Standing | null
  isChanged: boolean
  isAnswering: boolean
  /** Why it cannot be approved now by anybody; null if it can. */
  obstacle: string | null
  /** Why the last answer was not accepted. */
  trouble: string | null
  isEditing: boolean
  /** Whether the whole input is shown. */
  isOpen: boolean
  onOpen: () => void
  onEdit: () => void
  onApprove: () => void
  onDeny: (message: string) => void
}

/** The answers. None of them has the focus by default. */
export function CardActions({
  bar,
  isMore,
  words,
  still,
  standing,
  isChanged,
  isAnswering,
  obstacle,
  trouble,
  isEditing,
  isOpen,
  onOpen,
  onEdit,
  onApprove,
  onDeny,
}: ActionsProps) {
  const id = useId()
  const [message, setMessage] = useState<string | null>(null)
  const [hasWritten, setWritten] = useState(false)
  const mayApprove = standing === "approver"
  return (
    <>
      <div ref={bar} className="approval-bar" data-more={isMore || undefined}>
        {message === null ? (
          <div className="flex flex-wrap gap-2 max-sm:gap-x-6">
            <DeliberateButton
              kind="primary"
              still={still}
              isReady={mayApprove && obstacle === null && !isAnswering}
              className={`${THUMB} max-sm:order-2`}
              aria-describedby={`${id}-why`}
              onPress={onApprove}
            >
              <Check aria-hidden />
              {isChanged ? words.approveChanged : words.approve}
            </DeliberateButton>
            <DeliberateButton still={still} isReady={!isAnswering} className={`${THUMB} max-sm:order-1`} onPress={() => onDeny("")}>
              <X aria-hidden />
              {words.deny}
            </DeliberateButton>
          </div>
        ) : (
          <div className="flex w-full flex-col gap-2">
            <label htmlFor={`${id}-message`}>Message to the agent</label>
            <textarea
              id={`${id}-message`}
              autoFocus
              rows={2}
              maxLength={20_000}
              value={message}
              placeholder={words.hint}
              onChange={(event) => setMessage(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === "Escape") setMessage(null)
              }}
            />
            <div className="flex flex-wrap gap-2">
              <DeliberateButton still={still} isReady={!isAnswering} className="max-sm:h-12" onPress={() => onDeny(message)}>
                <X aria-hidden />
                {words.denyAndTell}
              </DeliberateButton>
              <Button kind="quiet" className="max-sm:h-12" onClick={() => setMessage(null)}>
                Back
              </Button>
            </div>
          </div>
        )}
        {/* Always one line, so that the part below does not move when the text changes. */}
        <p id={`${id}-why`} className="approval-why">
          {isAnswering ? "Answering …" : (obstacle ?? <WhoMay standing={standing} />)}
        </p>
        {trouble === null ? null : (
          <p role="alert" className="text-failed break-words">
            Not taken: {trouble}
          </p>
        )}
      </div>
      <div className="approval-actions">
        {message === null ? (
          <Button
            kind="quiet"
            // After editing, the focus returns to where it was.
            autoFocus={hasWritten}
            onClick={() => {
              setMessage("")
              setWritten(true)
            }}
          >
            <MessageSquareX aria-hidden />
            {words.denyWith}
          </Button>
        ) : null}
        {words.canEdit && message === null ? (
          <Button kind="quiet" aria-expanded={isEditing} onClick={onEdit}>
            <PencilLine aria-hidden />
            {isEditing ? "Leave the input as it was" : "Edit input"}
          </Button>
        ) : null}
        <Button kind="quiet" className="ml-auto" aria-expanded={isOpen} onClick={onOpen}>
          Whole input
          {isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
        </Button>
      </div>
    </>
  )
}

/** What this browser may do here; how to change that is shown below. */
function WhoMay({ standing }: { standing: Standing | null }) {
  if (standing === null || standing === "approver") return null
  return standing === "waiting" ? "This browser waits to be admitted; until then it can only deny." : "This browser can only deny."
}
