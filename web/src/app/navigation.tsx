import { Link } from "@tanstack/react-router"
import { ChartColumn, Columns3, MessagesSquare, Search, ShieldQuestionMark } from "lucide-react"
import type { ReactNode } from "react"
import { useRunning } from "@/api/follow"
import { useAskingConversations, usePending } from "@/api/use-approvals"
import { useRuns } from "@/api/use-runs"
import { waitingCount } from "@/features/conversations/sections"
import { useConversations } from "@/features/conversations/use-conversations"
import { cx } from "@/ui/cx"
import { useFaviconCount } from "@/ui/favicon"
import { useNow } from "@/ui/now"
import { useTitleCount } from "@/ui/page-title"
import { tip } from "@/ui/tooltip"
import icon from "./icon.svg"

/**
 * The links to the pages, each with the number of items that wait for the reader; the title and the icon of the window
 * show the sum.
 */
export function Navigation() {
  const conversations = useConversations("").data?.items ?? []
  const asked = usePending().data?.pending ?? 0
  const waiting = waitingCount(conversations, useRunning(), useNow(), useAskingConversations(), useRuns())
  useTitleCount(asked + waiting)
  useFaviconCount(asked + waiting, icon)
  return (
    <nav aria-label="Pages" className="ml-1 flex shrink-0 items-center gap-0.5 sm:ml-2 md:ml-4">
      <Tab to="/" icon={<MessagesSquare />} keys="G C" count={waiting}>
        Conversations
      </Tab>
      <Tab to="/board" icon={<Columns3 />} keys="G B">
        Board
      </Tab>
      <Tab to="/search" icon={<Search />} keys="G S">
        Search
      </Tab>
      <Tab to="/approvals" icon={<ShieldQuestionMark />} keys="G A" count={asked}>
        Approvals
      </Tab>
      <Tab to="/usage" icon={<ChartColumn />} keys="G U" isWideOnly>
        Usage
      </Tab>
    </nav>
  )
}

interface TabProps {
  to: "/" | "/board" | "/search" | "/approvals" | "/usage"
  icon: ReactNode
  keys: string
  count?: number
  /** Whether it has no place on a phone; "Jump to …" leads there. */
  isWideOnly?: boolean
  children: string
}

function Tab({ to, icon, keys, count = 0, isWideOnly = false, children }: TabProps) {
  return (
    <Link
      to={to}
      search={{}}
      activeOptions={{ exact: true, includeSearch: false }}
      activeProps={{ className: "bg-selected text-ink" }}
      inactiveProps={{ className: "text-ink-2 hover:bg-hover hover:text-ink" }}
      className={cx(
        "h-7 items-center gap-1.5 rounded-md px-2 font-medium [&_svg]:size-4 md:[&_svg]:hidden",
        isWideOnly ? "hidden sm:inline-flex" : "inline-flex",
      )}
      {...tip(children, keys)}
    >
      {icon}
      <span className="max-md:sr-only">{children}</span>
      {count > 0 ? (
        <span className="rounded-full bg-waiting-soft px-1.5 text-xs leading-4 font-semibold text-waiting tabular-nums">
          {count}
          <span className="sr-only"> waiting for you</span>
        </span>
      ) : null}
    </Link>
  )
}
