import { X } from "lucide-react"
import { seenLine } from "@/blocks/text/seen"
import { chipsOf, withoutTerm } from "@/parts/terms"

/** The fields of the query, each with a button to remove it. */
export function Chips({ q, onQuery }: { q: string; onQuery: (q: string) => void }) {
  const chips = chipsOf(q)
  if (chips.length === 0) return null
  return (
    <ul aria-label="Terms of the query" className="flex flex-wrap gap-1.5">
      {chips.map((term) => (
        <li key={term} className="max-w-full">
          <button
            type="button"
            aria-label={`Remove ${term}`}
            onClick={() => onQuery(withoutTerm(q, term))}
            className="inline-flex h-6 max-w-full items-center gap-1 rounded-md border border-line bg-inset pr-1 pl-2 font-mono text-sm text-ink-2 hover:border-line-strong hover:text-ink"
          >
            <span className="truncate">{seenLine(term)}</span>
            <X aria-hidden className="size-3 shrink-0" />
          </button>
        </li>
      ))}
    </ul>
  )
}
