import { Plus, SearchX } from "lucide-react"
import type { ReactNode } from "react"
import { isProblem } from "@/api/backend"
import { several } from "@/blocks/text/figures"
import { PlaceLink } from "@/parts/place-link"
import { QueryBar } from "@/parts/query-bar"
import { Unanswered } from "@/parts/unanswered"
import { Button, buttonLook } from "@/ui/button"
import { cx } from "@/ui/cx"
import { EmptyState } from "@/ui/empty-state"
import { useLastGood } from "@/ui/last-good"
import { tip } from "@/ui/tooltip"
import { ConversationList } from "./conversation-list"
import type { ListState } from "./list-state"
import { ListSkeleton } from "./list-skeleton"
import { useConversations, useToldConversations } from "./use-conversations"

interface PageProps {
  q: string
  onQuery: (q: string) => void
  onHelp: () => void
  /** Shown instead of an empty list when there is nothing at all. */
  nothingYet: ReactNode
  /** Stands above the list. */
  notice: ReactNode
  /** How many conversations there are in all, when that is known. */
  total: number | null
}

export function ConversationsPage({ q, onQuery, onHelp, nothingYet, notice, total }: PageProps) {
  const list = useConversations(q)
  // The list of all is the shell's: it counts who waits on every page.
  useToldConversations(q === "" ? null : q)
  const isNothing = q === "" && list.data?.items.length === 0

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
        <StartLink />
      </div>
      {notice}
      <div className="min-h-0 flex-1">
        <Content q={q} list={list} total={total} onClear={() => onQuery("")} />
      </div>
    </div>
  )
}

function StartLink({ isWhole = false }: { isWhole?: boolean }) {
  return (
    <PlaceLink href="/new" className={cx(buttonLook("primary"), "h-9 px-3")} {...tip("Start an agent", "N")}>
      <Plus aria-hidden />
      <span className={cx(!isWhole && "max-sm:sr-only")}>Start an agent</span>
    </PlaceLink>
  )
}

interface ContentProps {
  q: string
  list: ReturnType<typeof useConversations>
  total: number | null
  onClear: () => void
}

function Content({ q, list, total, onClear }: ContentProps) {
  const { error, isPlaceholderData } = list
  const data = useLastGood(list.data)
  // A query that is being written is often wrong for a moment: the last answer stays, the field says what is wrong.
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
            ? "Not everything was looked at: the index is still being built. What is found later appears here."
            : "Try fewer words, or drop a field."}
        </p>
      </EmptyState>
    )
  }
  return (
    <ConversationList
      // A new filter begins at its top.
      key={isHeld ? "held" : q}
      q={q}
      conversations={data.items}
      onEnd={() => void list.loadMore()}
      footer={footerOf(data, q, total)}
    />
  )
}

function footerOf(list: ListState, q: string, total: number | null): string {
  if (list.hasMore) return "Loading more …"
  if (list.isPartial) return "Not everything was looked at yet: the index is still being built"
  if (q !== "") return `${several(list.items.length, "conversation")} found`
  return several(Math.max(total ?? 0, list.items.length), "conversation")
}
