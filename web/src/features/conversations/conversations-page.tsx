import { ListFilter, Plus, SearchX } from "lucide-react"
import { type ReactNode, useState } from "react"
import { isProblem } from "@/api/backend"
import { several } from "@/blocks/text/figures"
import { PlaceLink } from "@/parts/place-link"
import { QueryBar } from "@/parts/query-bar"
import { Unanswered } from "@/parts/unanswered"
import { Button, buttonLook } from "@/ui/button"
import { cx } from "@/ui/cx"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { EmptyState } from "@/ui/empty-state"
import { useLastGood } from "@/ui/last-good"
import { tip } from "@/ui/tooltip"
import { ConversationList } from "./conversation-list"
import { Divided } from "./divided"
import { ListHead } from "./list-head"
import type { ListState } from "./list-state"
import { ListSkeleton } from "./list-skeleton"
import { isByTime, nameOf, type Sort } from "./sort"
import { useConversations, useLiveConversations } from "./use-conversations"
import { useFacets } from "./use-facets"

interface PageProps {
  q: string
  sort: Sort
  onQuery: (q: string) => void
  onSort: (sort: Sort) => void
  onHelp: () => void
  /** Shown instead of an empty list if there are no conversations at all. */
  nothingYet: ReactNode
  /** Shown above the list. */
  notice: ReactNode
  /** The number of all conversations, if it is known. */
  total: number | null
}

export function ConversationsPage({ q, sort, onQuery, onSort, onHelp, nothingYet, notice, total }: PageProps) {
  const list = useConversations(q, sort)
  // The shell keeps the unfiltered list up to date, because it counts the waiting conversations on every page.
  useLiveConversations(q === "" && isByTime(sort) ? null : q, sort)
  const facets = useFacets(q)
  const [isFiltering, setFiltering] = useState(false)
  // On the first run there is no index to query until the first conversations are in it.
  const isBeingBuilt = list.data === undefined && isProblem(list.error, "index_building")
  const isNothing = q === "" && (isBeingBuilt || (list.data?.items.length === 0 && (total ?? 0) === 0))
  const divided = facets.data === undefined ? null : <Divided facets={facets.data} q={q} onQuery={onQuery} />

  if (isNothing) {
    return (
      <div className="h-full overflow-y-auto">
        <h1 className="sr-only">Conversations</h1>
        {nothingYet}
        <p className="flex justify-center pb-12">
          <StartLink isWhole />
        </p>
      </div>
    )
  }
  return (
    <div className="flex h-full flex-col">
      <h1 className="sr-only">Conversations</h1>
      <div className="flex shrink-0 items-start gap-2 border-b border-line px-4 py-2.5 md:px-5">
        <QueryBar
          label="Filter conversations"
          placeholder="Filter: words, tool:Bash, is:error, after:7d …"
          q={q}
          onQuery={onQuery}
          onHelp={onHelp}
          error={list.error}
        />
        <Button className="h-9 xl:hidden" aria-haspopup="dialog" onClick={() => setFiltering(true)}>
          <ListFilter aria-hidden />
          <span className="max-sm:sr-only">Filters</span>
        </Button>
        <StartLink />
      </div>
      {notice}
      <div className="flex min-h-0 flex-1">
        <aside aria-label="Filters" className="hidden w-52 shrink-0 overflow-y-auto border-r border-line px-2 py-3 xl:block">
          {divided}
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <ListHead sort={sort} onSort={onSort} facets={facets.data} q={q} onQuery={onQuery} />
          <div className="min-h-0 flex-1">
            <Content q={q} sort={sort} list={list} total={facets.data?.total ?? null} onClear={() => onQuery("")} />
          </div>
        </div>
      </div>
      {isFiltering ? (
        <Dialog label="Filters" onClose={() => setFiltering(false)} className="max-w-sm">
          <DialogHeader title="Filters" onClose={() => setFiltering(false)} />
          <div className="max-h-[70dvh] overflow-y-auto p-3">{divided}</div>
        </Dialog>
      ) : null}
    </div>
  )
}

function StartLink({ isWhole = false }: { isWhole?: boolean }) {
  return (
    <PlaceLink href="/new" className={cx(buttonLook("primary"), "h-9 px-3")} {...tip("Start an agent", "C")}>
      <Plus aria-hidden />
      <span className={cx(!isWhole && "max-sm:sr-only")}>Start an agent</span>
    </PlaceLink>
  )
}

interface ContentProps {
  q: string
  sort: Sort
  list: ReturnType<typeof useConversations>
  total: number | null
  onClear: () => void
}

function Content({ q, sort, list, total, onClear }: ContentProps) {
  const { error, isPlaceholderData } = list
  const data = useLastGood(list.data)
  // A query is often invalid while it is being typed: the last answer stays, and the field says what is wrong.
  const isHeld = isProblem(error, "bad_query")
  if (isHeld && data === undefined) {
    return <EmptyState title="No list for this filter" actions={<Button onClick={onClear}>Clear the filter</Button>} />
  }
  if (error !== null && !isHeld) {
    const title = "The conversations cannot be read"
    return <Unanswered error={error} title={title} onRetry={() => void list.refetch()} />
  }
  if (data === undefined) return <ListSkeleton />
  if (data.items.length === 0 && !isPlaceholderData) {
    return (
      <EmptyState
        icon={<SearchX />}
        title="No conversation matches"
        actions={<Button onClick={onClear}>Clear the filter</Button>}
      >
        <p>
          {data.isPartial
            ? "Not everything was searched: the index is still being built. What is found later appears here."
            : "Try fewer words, or remove a field."}
        </p>
      </EmptyState>
    )
  }
  return (
    <ConversationList
      // A list with another filter or order starts at its top.
      key={isHeld ? "held" : `${q}\n${nameOf(sort)}`}
      of={`${q}\n${nameOf(sort)}`}
      isByTime={isByTime(sort)}
      conversations={data.items}
      onEnd={() => void list.loadMore()}
      footer={footerOf(data, q, total)}
    />
  )
}

function footerOf(list: ListState, q: string, total: number | null): string {
  if (list.hasMore) return "Loading more …"
  if (list.isPartial) return "Not everything was searched yet: the index is still being built"
  if (q !== "") return `${several(Math.max(total ?? 0, list.items.length), "conversation")} found`
  return several(Math.max(total ?? 0, list.items.length), "conversation")
}
