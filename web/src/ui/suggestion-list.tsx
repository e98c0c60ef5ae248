import { useEffect, useRef } from "react"
import { cx } from "./cx"
import type { Suggested } from "./query-text"

/** The suggestions for the caret, below the field. The focus stays in the field, which names the active suggestion. */
export function SuggestionList({
  id,
  suggestions,
  active,
  onTake,
}: {
  id: string
  suggestions: readonly Suggested[]
  active: number
  onTake: (suggestion: Suggested) => void
}) {
  const list = useRef<HTMLDivElement>(null)

  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" })
  }, [active])

  return (
    <div
      ref={list}
      id={`${id}-list`}
      role="listbox"
      aria-label="Suggestions"
      hidden={suggestions.length === 0}
      className="absolute top-10 right-0 left-0 z-30 max-h-72 max-w-xl overflow-y-auto rounded-lg bg-raised p-1 shadow-pop"
    >
      {suggestions.map((suggestion, index) => (
        // The field handles the keyboard.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
        <div
          key={`${suggestion.start} ${suggestion.text}`}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={cx(
            "flex items-baseline gap-3 rounded-md px-2 py-1",
            index === active ? "bg-selected" : "hover:bg-hover",
          )}
          // Before the field loses the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(suggestion)}
        >
          <span className="truncate font-mono text-base">{suggestion.text}</span>
          <span className="ml-auto truncate text-sm text-ink-3">{suggestion.hint}</span>
        </div>
      ))}
    </div>
  )
}
