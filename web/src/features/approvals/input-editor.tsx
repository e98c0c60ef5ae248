import { useId } from "react"
import { SeenText } from "@/blocks/seen-text"

/** An editor for the exact input, and below it what would be sent, with hidden characters made visible. */
export function InputEditor({
  text,
  fault,
  isChanged,
  onText,
}: {
  text: string
  fault: string | null
  isChanged: boolean
  onText: (text: string) => void
}) {
  const id = useId()
  return (
    <div className="approval-editor">
      <label htmlFor={id}>Input, as JSON</label>
      <textarea
        id={id}
        value={text}
        rows={6}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        aria-invalid={fault !== null}
        aria-describedby={`${id}-state`}
        onChange={(event) => onText(event.target.value)}
      />
      <p id={`${id}-state`} role="status" className={fault === null ? "text-ink-2" : "text-failed"}>
        {fault ?? (isChanged ? "This runs instead of what was asked for:" : "Nothing is changed yet.")}
      </p>
      {fault === null && isChanged ? (
        <pre className="approval-sent" aria-label="What would run">
          <SeenText text={text} />
        </pre>
      ) : null}
    </div>
  )
}
