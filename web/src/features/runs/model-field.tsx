import { useId } from "react"
import { cx } from "@/ui/cx"
import { USUAL_MODELS } from "./choices"

/** A field for the name of a model: one of the usual ones, or any other. */
export function ModelField({
  label,
  value,
  placeholder,
  onChange,
  onEnter,
  className,
}: {
  label: string
  value: string
  placeholder: string
  onChange: (model: string) => void
  onEnter?: () => void
  className?: string
}) {
  const id = useId()
  return (
    <>
      <input
        aria-label={label}
        list={`${id}-models`}
        value={value}
        maxLength={200}
        placeholder={placeholder}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className={cx(FIELD, className)}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing || onEnter === undefined) return
          event.preventDefault()
          onEnter()
        }}
      />
      <datalist id={`${id}-models`}>
        {USUAL_MODELS.map((model) => (
          <option key={model} value={model}>
            {model}
          </option>
        ))}
      </datalist>
    </>
  )
}

/** The styles of a one-line field. Its text is large enough that a phone does not zoom into the page. */
export const FIELD =
  "h-8 min-w-0 rounded-md border border-line-strong bg-surface px-2 text-lg text-ink placeholder:text-ink-3 outline-offset-0 sm:text-base"
