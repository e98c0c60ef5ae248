import { Search, X } from "lucide-react"
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from "react"
import { IconButton } from "./button"
import { cx } from "./cx"
import { type Advise, useAdvice } from "./query-advice"
import { type Fault, type Suggested, taken, underlined } from "./query-text"
import { SuggestionList } from "./suggestion-list"
import { Words } from "./words"

interface QueryFieldProps {
  label: string
  placeholder: string
  /** The current query; the typed text may be ahead of it. */
  value: string
  /** Called after a short pause in typing, and at once on Enter. */
  onQuery: (text: string) => void
  advise: Advise
  /** The error that the server found in the query. */
  fault?: Fault | null
  field?: RefObject<HTMLInputElement | null>
  /** Shown at the end of the field. */
  children?: ReactNode
  autoFocus?: boolean
}

const PAUSE_MS = 180
/** A longer pause while there are suggestions, because the text then most likely ends with half a word. */
const CHOOSING_MS = 700

/** A field for a query: completes the text, underlines what is wrong, and says why. */
export function QueryField(props: QueryFieldProps) {
  const { value, onQuery } = props
  const own = useRef<HTMLInputElement>(null)
  const input = props.field ?? own
  const backdrop = useRef<HTMLDivElement>(null)
  const id = useId()
  const [text, setText] = useState(value)
  const [caret, setCaret] = useState(value.length)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const [isFocused, setFocused] = useState(false)
  const [sent, setSent] = useState(value)
  const [held, setHeld] = useState(value)

  const advice = useAdvice(props.advise, text, caret, isFocused)
  const fault = advice.problem ?? (text === value ? (props.fault ?? null) : null)
  const suggestions = isOpen && isFocused ? advice.suggestions : []

  const isChoosing = suggestions.length > 0
  // Text that can still be completed is half a word; the page must not jump with every letter.
  const said = isChoosing ? null : fault

  // The address or another part of the page may have changed the query.
  if (value !== held) {
    setHeld(value)
    if (value !== sent && (!isFocused || text === sent)) {
      setSent(value)
      setText(value)
      setCaret(value.length)
    }
  }

  const query = (next: string) => {
    if (next === sent) return
    setSent(next)
    onQuery(next)
  }

  useEffect(() => {
    if (text === sent) return
    const timer = window.setTimeout(() => {
      setSent(text)
      onQuery(text)
    }, isChoosing ? CHOOSING_MS : PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [text, sent, onQuery, isChoosing])

  // The caret is set first, so that the browser does not move it to the end after a suggestion in the middle.
  useLayoutEffect(() => {
    const element = input.current
    if (element !== null && document.activeElement === element && element.selectionStart !== caret) {
      element.setSelectionRange(caret, caret)
    }
  }, [caret, input])

  const take = (suggestion: Suggested) => {
    const next = taken(text, suggestion)
    setText(next.text)
    setCaret(next.caret)
    setActive(-1)
    input.current?.focus()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const chosen = suggestions[active]
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step !== 0) {
      if (suggestions.length === 0) {
        if (step < 0) return
        event.preventDefault()
        if (text === "" && !isOpen) setOpen(true)
        else input.current?.blur()
        return
      }
      event.preventDefault()
      setActive(((active + 1 + step + suggestions.length + 1) % (suggestions.length + 1)) - 1)
    } else if (event.key === "Tab" && !event.shiftKey && suggestions.length > 0) {
      const first = chosen ?? suggestions[0]
      if (first === undefined) return
      event.preventDefault()
      take(first)
    } else if (event.key === "Enter") {
      event.preventDefault()
      if (chosen !== undefined) take(chosen)
      else {
        setOpen(false)
        query(text)
        input.current?.blur()
      }
    } else if (event.key === "Escape") {
      event.preventDefault()
      if (suggestions.length > 0) setOpen(false)
      else input.current?.blur()
    }
  }

  const syncScroll = () => {
    if (backdrop.current !== null && input.current !== null) backdrop.current.scrollLeft = input.current.scrollLeft
  }

  return (
    <div className="relative min-w-0 flex-1">
      <div
        className={cx(
          "flex h-9 items-center gap-2 rounded-lg border bg-surface pr-1 pl-2.5 transition-colors pointer-coarse:h-12",
          fault !== null ? "border-failed/60" : "border-line-strong",
          "focus-within:border-focus focus-within:ring-2 focus-within:ring-focus/25",
        )}
      >
        <Search aria-hidden className="size-4 shrink-0 text-ink-3" />
        <div className="relative h-full min-w-0 flex-1 font-mono text-[16px] sm:text-base">
          <div
            ref={backdrop}
            aria-hidden
            className="pointer-events-none absolute inset-0 flex items-center overflow-hidden whitespace-pre text-transparent"
          >
            {fault === null
              ? null
              : underlined(text, fault.at).map(({ text: part, isMarked }, index) => (
                  <span
                    // oxlint-disable-next-line react/no-array-index-key -- stretches of one text have no other name
                    key={index}
                    className={cx(isMarked && "underline decoration-failed decoration-wavy underline-offset-4")}
                  >
                    {part}
                  </span>
                ))}
          </div>
          <input
            ref={input}
            type="text"
            role="combobox"
            aria-label={props.label}
            aria-autocomplete="list"
            aria-expanded={suggestions.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={suggestions[active] === undefined ? undefined : `${id}-${active}`}
            aria-invalid={fault !== null}
            aria-describedby={`${id}-says`}
            autoComplete="off"
            autoCorrect="off"
            autoCapitalize="off"
            spellCheck={false}
            enterKeyHint="search"
            autoFocus={props.autoFocus ?? false}
            placeholder={props.placeholder}
            value={text}
            maxLength={10_000}
            className="absolute inset-0 h-full w-full bg-transparent outline-none placeholder:font-sans placeholder:text-ellipsis placeholder:text-ink-3"
            onChange={(event) => {
              setText(event.target.value)
              setCaret(event.target.selectionStart ?? event.target.value.length)
              setOpen(true)
              setActive(-1)
            }}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? text.length)}
            onKeyDown={onKeyDown}
            onScroll={syncScroll}
            onFocus={() => setFocused(true)}
            onBlur={() => {
              setFocused(false)
              setOpen(false)
            }}
          />
        </div>
        {text === "" ? null : (
          <IconButton
            label="Clear"
            className="size-6"
            onClick={() => {
              setText("")
              setCaret(0)
              query("")
              input.current?.focus()
            }}
          >
            <X />
          </IconButton>
        )}
        {props.children}
      </div>
      <SuggestionList id={id} suggestions={suggestions} active={active} onTake={take} />
      <p
        id={`${id}-says`}
        aria-live="polite"
        className={cx("px-0.5 text-sm text-failed", said !== null && "mt-1")}
      >
        {said === null ? null : <Words text={said.message} />}
      </p>
    </div>
  )
}
