import { ChevronDown, ChevronUp, Search, X } from "lucide-react"
import { useEffect, useRef } from "react"
import { Button, IconButton } from "@/ui/button"
import type { Find } from "./use-find"

/** The search bar of a conversation: the query, the number of the current hit, and buttons for the others. */
export function FindBar({
  query,
  onQuery,
  find,
  onClose,
}: {
  query: string
  onQuery: (query: string) => void
  find: Find
  onClose: () => void
}) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  // Closing the bar moves the focus to the transcript, so that it is not lost.
  const close = (): void => {
    field.current?.closest<HTMLElement>(".transcript-main")?.focus({ preventScroll: true })
    onClose()
  }
  return (
    <search className="find-bar" aria-label="Find in conversation">
      <Search aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      <input
        ref={field}
        type="text"
        value={query}
        autoFocus
        spellCheck={false}
        autoComplete="off"
        aria-label="Find in conversation"
        placeholder="Find in conversation"
        className="find-field"
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault()
            find.step(event.shiftKey ? -1 : 1)
          } else if (event.key === "Escape") {
            event.preventDefault()
            close()
          }
        }}
      />
      <span className="find-count" aria-live="polite">
        {countOf(query, find)}
      </span>
      {find.hasMore ? (
        <Button kind="quiet" size="sm" disabled={find.isAsking} onClick={() => find.goOn()}>
          {find.isCut ? "Search further" : "More"}
        </Button>
      ) : null}
      <IconButton label="Previous" keys="Shift Enter" disabled={find.hits.length === 0} onClick={() => find.step(-1)}>
        <ChevronUp />
      </IconButton>
      <IconButton label="Next" keys="Enter" disabled={find.hits.length === 0} onClick={() => find.step(1)}>
        <ChevronDown />
      </IconButton>
      <IconButton label="Close" keys="Esc" onClick={close}>
        <X />
      </IconButton>
    </search>
  )
}

/** Returns the result in words, and says if a part of the conversation was not searched. */
export function countOf(query: string, find: Pick<Find, "hits" | "index" | "hasMore" | "isCut" | "isAsking" | "error">): string {
  if (query.trim() === "") return ""
  if (find.error) return find.error.message
  if (find.hits.length === 0) return find.isAsking ? "…" : find.isCut ? "Nothing found yet" : "Nothing found"
  return `${find.index + 1} of ${find.hits.length}${find.hasMore ? "+" : ""}`
}
