import { useQueryClient } from "@tanstack/react-query"
import { Link, Outlet, useNavigate } from "@tanstack/react-router"
import { CircleHelp, Compass, LogOut, MessagesSquare, Monitor, Moon, Search, ShieldQuestionMark, Sun } from "lucide-react"
import { type ReactNode, useState } from "react"
import { useBackend, useRunning } from "@/api/follow"
import { useAskingConversations, usePending, useToldApprovals } from "@/api/use-approvals"
import { useStatus, useToldStatus } from "@/api/use-status"
import { waitingCount } from "@/features/conversations/sections"
import { useConversations } from "@/features/conversations/use-conversations"
import { HelpSheet, type Topic } from "@/features/help/help-sheet"
import { ConnectionMark } from "@/features/live/connection-mark"
import { ServerNotice } from "@/features/live/server-notice"
import { StatusPanel } from "@/features/live/status-panel"
import { Palette } from "@/features/palette/palette"
import { nameParts } from "@/parts/places"
import { IconButton } from "@/ui/button"
import { useFaviconCount } from "@/ui/favicon"
import { Kbd, keyName } from "@/ui/kbd"
import { useKeys } from "@/ui/keys"
import { useNow } from "@/ui/now"
import { useTitleCount } from "@/ui/page-title"
import { tip } from "@/ui/tooltip"
import { HelpContext } from "./help-context"
import icon from "./icon.svg"
import { Logo } from "./logo"
import { nextTheme, setTheme, useTheme } from "./theme"

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const

type Open = { what: "palette" } | { what: "help"; topic: Topic } | { what: "status" } | null

/** The frame around every page: bar, notices, and what opens above. */
export function Shell() {
  const navigate = useNavigate()
  const backend = useBackend()
  const cache = useQueryClient()
  const theme = useTheme()
  const status = useStatus()
  const everything = useConversations("")
  const now = useNow()
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const conversations = everything.data?.items ?? []
  const asked = usePending().data?.pending ?? 0
  const waiting = waitingCount(conversations, useRunning(), now, useAskingConversations())

  useToldStatus()
  useToldApprovals()
  useTitleCount(asked + waiting)
  useFaviconCount(asked + waiting, icon)

  const logOut = async () => {
    await backend.logout().catch(() => {})
    await cache.invalidateQueries({ queryKey: ["status"] })
  }
  const toConversations = () => void navigate({ to: "/", search: {} })
  const toApprovals = () => void navigate({ to: "/approvals" })
  const toSearch = (q?: string) => void navigate({ to: "/search", search: { q } })
  const changeTheme = () => setTheme(nextTheme(theme))
  useKeys({
    "mod+k": () => setOpen({ what: "palette" }),
    "?": () => setOpen({ what: "help", topic: "keys" }),
    "g c": toConversations,
    "g s": () => toSearch(),
    "g a": toApprovals,
    t: changeTheme,
  }, 0)

  const ThemeIcon = THEME_ICONS[theme]
  return (
    <HelpContext value={(topic) => setOpen({ what: "help", topic })}>
      <div className="flex h-dvh flex-col">
        <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2">
          Skip to content
        </a>
        <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-3 md:px-4">
          <Link to="/" search={{}} className="flex items-center gap-2 rounded-md px-1 py-1 font-semibold tracking-tight">
            <Logo />
            <span className="max-sm:sr-only">Chorus</span>
          </Link>
          <nav aria-label="Pages" className="ml-2 flex items-center gap-0.5 md:ml-4">
            <Tab to="/" icon={<MessagesSquare />} keys="G C" count={waiting}>
              Conversations
            </Tab>
            <Tab to="/search" icon={<Search />} keys="G S">
              Search
            </Tab>
            <Tab to="/approvals" icon={<ShieldQuestionMark />} keys="G A" count={asked}>
              Approvals
            </Tab>
          </nav>
          <div className="ml-auto flex items-center gap-0.5">
            <button
              type="button"
              onClick={() => setOpen({ what: "palette" })}
              className="mr-1.5 hidden h-7 items-center gap-6 rounded-md border border-line-strong bg-surface pr-1 pl-2.5 text-ink-2 hover:bg-hover hover:text-ink md:flex"
            >
              Jump to … <Kbd>{keyName("mod+k")}</Kbd>
            </button>
            <IconButton label="Jump to …" className="md:hidden" onClick={() => setOpen({ what: "palette" })}>
              <Compass />
            </IconButton>
            <ConnectionMark onOpen={() => setOpen({ what: "status" })} />
            <IconButton label={`Theme: ${theme}`} keys="T" onClick={changeTheme}>
              <ThemeIcon />
            </IconButton>
            <IconButton label="Help" keys="?" onClick={() => setOpen({ what: "help", topic: "keys" })}>
              <CircleHelp />
            </IconButton>
          </div>
        </header>
        <ServerNotice status={status.data} />
        <main id="main" className="min-h-0 flex-1">
          <Outlet />
        </main>
      </div>
      {open?.what === "help" ? <HelpSheet topic={open.topic} onClose={close} /> : null}
      {open?.what === "status" ? <StatusPanel status={status.data} onClose={close} /> : null}
      {open?.what === "palette" ? (
          <Palette
            conversations={conversations}
            actions={[
              { id: "conversations", title: "Conversations", icon: MessagesSquare, keys: "G C", run: toConversations },
              { id: "search", title: "Search", icon: Search, keys: "G S", run: () => toSearch() },
              { id: "approvals", title: "Approvals", words: "permission requests allow deny inbox", icon: ShieldQuestionMark, keys: "G A", run: toApprovals },
              { id: "system", title: "Theme: system", words: "dark light colour", icon: Monitor, run: () => setTheme("system") },
              { id: "light", title: "Theme: light", words: "colour", icon: Sun, run: () => setTheme("light") },
              { id: "dark", title: "Theme: dark", words: "colour night", icon: Moon, run: () => setTheme("dark") },
              { id: "keys", title: "Keys", words: "help shortcuts", icon: CircleHelp, keys: "?", run: () => setOpen({ what: "help", topic: "keys" }) },
              { id: "queries", title: "How to ask", words: "help query language", icon: CircleHelp, run: () => setOpen({ what: "help", topic: "queries" }) },
              { id: "logout", title: "Log out", words: "sign session", icon: LogOut, run: () => void logOut() },
            ]}
            onOpen={(name) => void navigate({ to: "/c/$workspace/$agent/$conversation", params: nameParts(name) })}
            onSearch={toSearch}
            onClose={close}
          />
      ) : null}
    </HelpContext>
  )
}

interface TabProps {
  to: "/" | "/search" | "/approvals"
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
      {count > 0 ? (
        <span className="rounded-full bg-waiting-soft px-1.5 text-xs leading-4 font-semibold text-waiting tabular-nums">
          {count}
          <span className="sr-only"> waiting for you</span>
        </span>
      ) : null}
    </Link>
  )
}
