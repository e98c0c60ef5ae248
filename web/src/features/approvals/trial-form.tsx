import { Link } from "@tanstack/react-router"
import { type ReactNode, useId, useState } from "react"
import { Button } from "@/ui/button"
import { useAttempt } from "@/ui/use-attempt"

interface TrialFormProps<Found> {
  text: string
  onText: (text: string) => void
  title: string
  placeholder: string
  maxLength: number
  /** What the button says, and what it says while the answer is awaited. */
  button: readonly [string, string]
  /** How the text is written. */
  hint: ReactNode
  /** What the text would do; nothing is changed yet. */
  tryIt: (text: string) => Promise<Found>
  /** Puts it in force; null if this browser may not. */
  onAccept: ((found: Found) => Promise<void>) | null
  /** Draws what was found; `accept` puts it in force, and is null if this browser may not. */
  preview: (found: Found, accept: (() => void) | null, isBusy: boolean) => ReactNode
}

/** A form for a rule or a budget: it is written, tried, and then put in force. */
export function TrialForm<Found>(props: TrialFormProps<Found>) {
  const { text, onText, title, placeholder, maxLength, button, hint, tryIt, onAccept, preview } = props
  const id = useId()
  const [found, setFound] = useState<Found | null>(null)
  const { attempt, isBusy, trouble } = useAttempt()

  const test = async () => {
    setFound(null)
    setFound(await tryIt(text.trim()))
  }
  const accept = async () => {
    if (found === null || onAccept === null) return
    await onAccept(found)
    setFound(null)
    onText("")
  }
  return (
    <form
      className="enrol"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== "") void attempt(test)
      }}
    >
      <label htmlFor={id} className="font-semibold">
        {title}
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id={id}
          value={text}
          maxLength={maxLength}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          className="h-7 min-w-0 flex-1 basis-64 rounded-md border border-line-strong bg-surface px-2 font-mono text-lg outline-offset-0 sm:text-base"
          onChange={(event) => {
            onText(event.target.value)
            setFound(null)
          }}
        />
        <Button type="submit" kind="primary" disabled={text.trim() === "" || isBusy}>
          {button[isBusy ? 1 : 0]}
        </Button>
      </div>
      <p className="text-sm text-ink-2">{hint}</p>
      {trouble === null ? null : (
        <p role="alert" className="text-failed break-words">
          {trouble}
        </p>
      )}
      {found === null ? null : preview(found, onAccept === null ? null : () => void attempt(accept), isBusy)}
    </form>
  )
}

interface AcceptProps {
  accept: (() => void) | null
  isBusy: boolean
  /** Such as "Set it". */
  label: string
  /** The same as the rest of "To …". */
  words: string
  /** What does the same in a terminal. */
  command: string
}

/** The button that puts it in force; in a browser that may not, what to do instead. */
export function Accept({ accept, isBusy, label, words, command }: AcceptProps) {
  if (accept === null)
    return (
      <p className="text-ink-2">
        To {words}, make this browser an approver on the page{" "}
        <Link to="/approvals" hash="approvers" className="text-accent underline">
          Approvals
        </Link>
        , or use <code>{command}</code>.
      </p>
    )
  return (
    <Button kind="primary" disabled={isBusy} onClick={accept}>
      {label}
    </Button>
  )
}
