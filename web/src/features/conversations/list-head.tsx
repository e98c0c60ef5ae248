import { ArrowDown, ArrowUp } from "lucide-react"
import type { Order } from "@/api/backend"
import type { ConversationFacets } from "@/api/schema"
import { count, several } from "@/blocks/text/figures"
import { withTerm } from "@/parts/terms"
import { cx } from "@/ui/cx"
import { COLUMNS } from "./conversation-row"
import { clicked, ORDERS, type Sort, sortNamed } from "./sort"

const NAMES: Record<Order, string> = {
  time: "Last active",
  cost: "Cost",
  tokens: "Tokens",
  messages: "Messages",
  duration: "Duration",
}

interface HeadProps {
  sort: Sort
  onSort: (sort: Sort) => void
  facets: ConversationFacets | undefined
  q: string
  onQuery: (q: string) => void
}

/** The number of conversations, their order, and the headings of the columns. */
export function ListHead({ sort, onSort, facets, q, onQuery }: HeadProps) {
  const by = (order: Order, className: string, short = NAMES[order]) => (
    <Heading order={order} name={short} sort={sort} onSort={onSort} className={className} />
  )
  return (
    <div className="shrink-0 border-b border-line text-sm text-ink-2">
      <div className="flex min-h-8 items-center gap-3 px-4 md:px-5 pointer-coarse:min-h-12">
        <p role="status" aria-label="Number of conversations" className="tabular-nums">
          {facets === undefined ? " " : inWords(facets, q)}
        </p>
        {facets !== undefined && facets.archived > 0 ? (
          <button type="button" className="text-accent hover:underline" onClick={() => onQuery(withTerm(q, "is:archived"))}>
            {count(facets.archived)} archived
          </button>
        ) : null}
        <label className="ml-auto flex items-center gap-1.5 xl:hidden">
          <span className="max-sm:sr-only">Sort by</span>
          <select
            value={sort.order}
            className="h-6 rounded-md border border-line-strong bg-surface px-1 text-sm"
            onChange={(event) => {
              const order = ORDERS.find((each) => each === event.target.value)
              if (order !== undefined) onSort(sortNamed(order))
            }}
          >
            {ORDERS.map((order) => (
              <option key={order} value={order}>
                {NAMES[order]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div role="group" aria-label="Columns" className={cx("hidden h-7 items-center font-medium md:grid compact:h-6", COLUMNS)}>
        <span>Status</span>
        <span>Conversation</span>
        <span>Workspace</span>
        <span>Model</span>
        {by("messages", "hidden xl:flex", "Messages")}
        {by("tokens", "flex")}
        {by("cost", "flex")}
        {by("duration", "hidden xl:flex")}
        {by("time", "flex", "Active")}
      </div>
    </div>
  )
}

function Heading({ order, name, sort, onSort, className }: { order: Order; name: string; className: string } & Pick<HeadProps, "sort" | "onSort">) {
  const isOn = sort.order === order
  const Arrow = sort.isRising ? ArrowUp : ArrowDown
  const way = isOn ? (sort.isRising ? ", least first" : ", most first") : ""
  return (
    <button
      type="button"
      aria-pressed={isOn}
      aria-label={`Sort by ${NAMES[order].toLowerCase()}${way}`}
      className={cx("min-w-0 items-center justify-end gap-0.5 hover:text-ink", isOn && "text-ink", className)}
      onClick={() => onSort(clicked(sort, order))}
    >
      <span className="truncate">{name}</span>
      {isOn ? <Arrow aria-hidden className="size-3 shrink-0" /> : null}
    </button>
  )
}

function inWords({ total, is_partial }: ConversationFacets, q: string): string {
  const many = `${is_partial ? "At least " : ""}${several(total, "conversation")}`
  return q === "" ? many : `${many} ${total === 1 ? "matches" : "match"}`
}
