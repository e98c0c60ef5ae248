import { Link } from "@tanstack/react-router"
import { ChartColumn, Columns3, MessagesSquare, Search, ShieldQuestionMark, Smartphone } from "lucide-react"
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
export function Navigation({ isBelow, isHidden = false }: { isBelow: boolean; isHidden?: boolean }) {
  const conversations = useConversations("").data?.items ?? []
  const asked = usePending().data?.pending ?? 0
  const waiting = waitingCount(conversations, useRunning(), useNow(), useAskingConversations(), useRuns())
  useTitleCount(asked + waiting)
  useFaviconCount(asked + waiting, icon)
  if (isBelow) {
    return (
      <nav
        aria-label="Pages"
        className={cx("shrink-0 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)]", isHidden ? "hidden" : "flex")}
      >
        <ThumbTab to="/now" icon={<Smartphone />}>
          Now
        </ThumbTab>
        <ThumbTab to="/" icon={<MessagesSquare />} count={waiting}>
          Conversations
        </ThumbTab>
        <ThumbTab to="/search" icon={<Search />}>
          Search
        </ThumbTab>
        <ThumbTab to="/approvals" icon={<ShieldQuestionMark />} count={asked}>
          Approvals
        </ThumbTab>
      </nav>
    )
  }
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
      <Tab to="/usage" icon={<ChartColumn />} keys="G U">
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
  children: string
}

function Tab({ to, icon, keys, count = 0, children }: TabProps) {
  return (
    <Link
      to={to}
      search={{}}
      activeOptions={{ exact: true, includeSearch: false }}
      activeProps={{ className: "bg-selected text-ink" }}
      inactiveProps={{ className: "text-ink-2 hover:bg-hover hover:text-ink" }}
      className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 font-medium [&_svg]:size-4 md:[&_svg]:hidden"
      {...tip(children, keys)}
    >
      {icon}
      <span className="max-md:sr-only">{children}</span>
      <Count count={count} />
    </Link>
  )
}

/** A link at the lower edge of a phone, large enough for a thumb. "Jump to …" leads to the pages without one. */
function ThumbTab({ to, icon, count = 0, children }: Omit<TabProps, "to" | "keys"> & { to: "/now" | TabProps["to"] }) {
  return (
    <Link
      to={to}
      search={{}}
      activeOptions={{ exact: true, includeSearch: false }}
      activeProps={{ className: "text-accent" }}
      inactiveProps={{ className: "text-ink-2" }}
      className="relative flex min-h-13 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-xs font-medium [&_svg]:size-5"
    >
      {icon}
      {children}
      <span className="absolute top-1 left-[calc(50%+0.375rem)] flex">
        <Count count={count} />
      </span>
    </Link>
  )
}

function Count({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span className="rounded-full bg-waiting-soft px-1.5 text-xs leading-4 font-semibold text-waiting tabular-nums">
      {count}
      <span className="sr-only"> waiting for you</span>
    </span>
  )
}
