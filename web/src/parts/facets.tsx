import { Check } from "lucide-react"
import type { Facet } from "@/api/schema"
import { count } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { cx } from "@/ui/cx"
import { tip } from "@/ui/tooltip"
import { modelName } from "./model-name"
import { hasTerm, withoutTerm, withTerm } from "./terms"

interface FacetsProps {
  facets: readonly Facet[]
  q: string
  onQuery: (q: string) => void
}

/** The number of hits by field. A click adds the term to the query, another click removes it. */
export function Facets({ facets, q, onQuery }: FacetsProps) {
  return (
    <div className="flex flex-col gap-5 compact:gap-3">
      {facets
        .filter(({ values }) => values.length > 0)
        .map(({ field, values }) => (
          <section key={field} aria-label={field}>
            <h2 className="mb-1 px-2 text-sm font-semibold text-ink-2 capitalize">{field}</h2>
            <ul>
              {values.map(({ value, label, count: hits, term }) => {
                const isOn = hasTerm(q, term)
                return (
                  <li key={value}>
                    <button
                      type="button"
                      aria-pressed={isOn}
                      onClick={() => onQuery(isOn ? withoutTerm(q, term) : withTerm(q, term))}
                      {...tip(seenLine(term))}
                      className={cx(
                        "flex h-7 compact:h-6 w-full items-center gap-2 rounded-md px-2 text-left",
                        isOn ? "bg-accent-soft text-accent" : "text-ink hover:bg-hover",
                      )}
                    >
                      <span className="truncate">{seenLine(shownLabel(field, label, values))}</span>
                      {isOn ? <Check aria-hidden className="size-3.5 shrink-0" /> : null}
                      <span className="ml-auto text-sm text-ink-3 tabular-nums">{count(hits)}</span>
                    </button>
                  </li>
                )
              })}
            </ul>
          </section>
        ))}
    </div>
  )
}

/** The label of a value; a model has the name that people know, unless another value has the same. */
function shownLabel(field: string, label: string, values: Facet["values"]): string {
  if (field !== "model") return label
  const name = modelName(label)
  return values.filter((each) => modelName(each.label) === name).length > 1 ? label : name
}
