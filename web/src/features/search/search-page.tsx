import { SearchX, SlidersHorizontal } from "lucide-react"
import { type ReactNode, useMemo } from "react"
import { isProblem } from "@/api/backend"
import type { ConversationSummary, Facet, HitGroup, SearchAnswer, SearchHit } from "@/api/schema"
import { QueryBar } from "@/parts/query-bar"
import { Unanswered } from "@/parts/unanswered"
import { Button } from "@/ui/button"
import { EmptyState } from "@/ui/empty-state"
import { useLastGood } from "@/ui/last-good"
import { PanelGuard } from "@/ui/panel-guard"
import { Segments } from "@/ui/segments"
import { answerInWords } from "./answer-in-words"
import { Chips } from "./chips"
import { DescribedList } from "./described-list"
import { Examples } from "./examples"
import { Facets } from "@/parts/facets"
import { HitList } from "./hit-list"
import { lookedForInWords } from "./looked-for"
import { SearchSkeleton } from "./search-skeleton"
import { useSearch } from "./use-search"

const NO_PAGES: readonly SearchAnswer[] = []
const NONE_DESCRIBED: readonly ConversationSummary[] = []

interface PageProps {
  q: string
  isRanked: boolean
  onQuery: (q: string) => void
  onRanked: (isRanked: boolean) => void
  onHelp: () => void
}

export function SearchPage({ q, isRanked, onQuery, onRanked, onHelp }: PageProps) {
  const search = useSearch(q, isRanked)
  const pages = useLastGood(search.data)?.pages ?? NO_PAGES
  const first = pages[0]
  const isAsked = q.trim() !== ""
  const looked = first === undefined || search.isPlaceholderData || search.isError ? "" : lookedForInWords(first)

  return (
    <div className="flex h-full flex-col">
      <h1 className="sr-only">Search</h1>
      <div className="shrink-0 border-b border-line px-4 py-2.5 md:px-5">
        <QueryBar
          label="Search"
          placeholder="Search everything …"
          q={q}
          onQuery={onQuery}
          onHelp={onHelp}
          error={search.error}
          // The reader wants to type; but the keyboard of a phone would hide the results.
          autoFocus={q === "" || window.matchMedia("(pointer: fine)").matches}
        />
        {isAsked ? (
          <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1.5 pt-1.5">
            <Chips q={q} onQuery={onQuery} />
            <p role="status" className="text-sm text-ink-3">
              {first === undefined || search.isPlaceholderData || search.isError ? "" : answerInWords(pages)}
            </p>
            {looked === "" ? null : <p className="text-sm text-ink-3">{looked}</p>}
            <span className="ml-auto">
              <Segments
                label="Order"
                value={isRanked ? "rank" : "newest"}
                options={[
                  { value: "newest", label: "Newest" },
                  { value: "rank", label: "Best" },
                ]}
                onChange={(order) => onRanked(order === "rank")}
              />
            </span>
          </div>
        ) : null}
      </div>
      {isAsked ? (
        <Answer search={search} pages={pages} q={q} onQuery={onQuery} />
      ) : (
        <Invitation onQuery={onQuery} />
      )}
    </div>
  )
}

function Invitation({ onQuery }: { onQuery: (q: string) => void }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <Examples onQuery={onQuery} />
    </div>
  )
}

interface AnswerProps {
  search: ReturnType<typeof useSearch>
  pages: readonly SearchAnswer[]
  q: string
  onQuery: (q: string) => void
}

function Answer({ search, pages, q, onQuery }: AnswerProps) {
  const { error, isPending } = search
  const hits = useMemo(() => pages.flatMap((page) => page.hits), [pages])
  const groups = useMemo(() => pages.flatMap((page) => page.groups), [pages])
  // The field says what is wrong with the query: the last answer stays, or the examples are shown.
  const isWrong = isProblem(error, "bad_query")
  if (isWrong && pages.length === 0) return <Invitation onQuery={onQuery} />
  if (error !== null && !isWrong) {
    return <Unanswered error={error} title="The search failed" onRetry={() => void search.refetch()} />
  }
  if (isPending) return <SearchSkeleton />
  const last = pages.at(-1)
  const further =
    last?.is_partial && search.hasNextPage ? (
      <LookFurther
        lookedTo={last.looked_to}
        isLooking={search.isFetchingNextPage}
        onLook={() => void search.fetchNextPage()}
      />
    ) : null
  const described = pages[0]?.described ?? NONE_DESCRIBED
  const isEmpty = hits.length === 0 && described.length === 0
  if (isEmpty && further !== null) {
    return (
      <EmptyState icon={<SearchX />} title="Nothing found yet">
        {further}
      </EmptyState>
    )
  }
  if (isEmpty) {
    return (
      <EmptyState
        icon={<SearchX />}
        title="Nothing found"
        actions={<Button onClick={() => onQuery("")}>Start over</Button>}
      >
        <p>
          {last?.is_partial
            ? "Not everything was searched: the search took too long. Narrow it, for example with after:7d."
            : "Try fewer words, a beginning (time*), or remove a field."}
        </p>
      </EmptyState>
    )
  }
  return (
    <Found
      described={described}
      hits={hits}
      groups={groups}
      facets={pages[0]?.facets ?? []}
      q={q}
      onQuery={onQuery}
      footer={further ?? (search.hasNextPage ? "Loading more …" : endInWords(hits.length))}
      onEnd={() => {
        // A long search continues only if the reader asks for it.
        if (search.hasNextPage && !search.isFetchingNextPage && !last?.is_partial) void search.fetchNextPage()
      }}
    />
  )
}

function endInWords(hits: number): string {
  return hits === 0 ? "Nothing that was said in a conversation matches" : "That is all"
}

interface FurtherProps {
  lookedTo: string | null
  isLooking: boolean
  onLook: () => void
}

/** How far a search got before its time limit, and a button to continue. */
function LookFurther({ lookedTo, isLooking, onLook }: FurtherProps) {
  return (
    <>
      <span>{lookedTo === null ? "Not everything was searched" : `Searched back to ${lookedTo.slice(0, 10)}`}</span>
      <Button onClick={onLook} disabled={isLooking}>
        {isLooking ? "Searching …" : "Search further"}
      </Button>
    </>
  )
}

interface FoundProps {
  described: readonly ConversationSummary[]
  hits: readonly SearchHit[]
  groups: readonly HitGroup[]
  facets: readonly Facet[]
  q: string
  onQuery: (q: string) => void
  footer: ReactNode
  onEnd: () => void
}

function Found({ described, hits, groups, facets, q, onQuery, footer, onEnd }: FoundProps) {
  return (
    <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
      {facets.length === 0 ? null : (
        <>
          <details className="max-h-1/2 shrink-0 overflow-y-auto border-b border-line lg:hidden">
            <summary className="flex h-9 list-none items-center gap-2 px-4 text-ink-2 md:px-5 [&::-webkit-details-marker]:hidden">
              <SlidersHorizontal aria-hidden className="size-3.5" /> Narrow down
            </summary>
            <div className="px-2 pb-4">
              <PanelGuard name="Narrowing down" of={facets}>
                <Facets facets={facets} q={q} onQuery={onQuery} />
              </PanelGuard>
            </div>
          </details>
          <aside
            aria-label="Narrow down"
            className="order-2 hidden w-64 shrink-0 overflow-y-auto border-l border-line px-3 py-4 lg:block"
          >
            <PanelGuard name="Narrowing down" of={facets}>
              <Facets facets={facets} q={q} onQuery={onQuery} />
            </PanelGuard>
          </aside>
        </>
      )}
      <div className="min-h-0 min-w-0 flex-1">
        <HitList key={q} header={<DescribedList conversations={described} />} hits={hits} groups={groups} onEnd={onEnd} footer={footer} />
      </div>
    </div>
  )
}
