import { useQueryClient } from "@tanstack/react-query"
import { Link, Outlet } from "@tanstack/react-router"
import { CircleHelp, Compass, Monitor, Moon, Settings, Sun } from "lucide-react"
import { lazy, Suspense, useCallback, useState } from "react"
import type { ConversationSummary } from "@/api/schema"
import { useLiveApprovals } from "@/api/use-approvals"
import { useLiveBoard } from "@/api/use-board"
import { useLiveRuns } from "@/api/use-runs"
import { useStatus, useLiveStatus } from "@/api/use-status"
import { type ListState, without } from "@/features/conversations/list-state"
import { useLiveConversations } from "@/features/conversations/use-conversations"
import { useNotifications } from "@/features/board/use-notifications"
import { HelpSheet, type Topic } from "@/features/help/help-sheet"
import { ConnectionMark } from "@/features/live/connection-mark"
import { ServerNotice } from "@/features/live/server-notice"
import { StatusPanel } from "@/features/live/status-panel"
import { UpdateNotice } from "@/features/live/update-notice"
import { AnnotateContext } from "@/parts/annotating"
import { ShareContext } from "@/parts/sharing"
import { useIsWide } from "@/parts/wide"
import { IconButton } from "@/ui/button"
import { Kbd, keyName } from "@/ui/kbd"
import { useKeys } from "@/ui/keys"
import { PanelGuard } from "@/ui/panel-guard"
import { HelpContext, type OpenHelp } from "./help-context"
import { Jump } from "./jump"
import { Logo } from "./logo"
import { Navigation } from "./navigation"
import { useNextThatNeedsYou } from "./next-that-needs-you"
import { PHONE_PX } from "./start-page"
import { nextTheme, setTheme, useTheme } from "./theme"
import { useRoom } from "./use-room"
import { useWays } from "./use-ways"

const AnnotateDialog = lazy(() => import("@/features/annotations/annotate-dialog"))
const ShareDialog = lazy(() => import("@/features/sharing/share-dialog"))
const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const

type Open = { what: "annotate" | "share"; conversation: ConversationSummary } | { what: "palette" } | { what: "help"; topic: Topic } | { what: "status" } | null

/** The frame around every page: bar, notices, and dialogs. */
export function Shell() {
  const theme = useTheme()
  const status = useStatus()
  const ways = useWays()
  const isPhone = !useIsWide(PHONE_PX)
  const isTyping = useRoom()
  const cache = useQueryClient()
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  // A stable function, so that components that use it are not rendered again with the shell.
  const openHelp = useCallback<OpenHelp>((topic) => setOpen({ what: "help", topic }), [])
  const annotate = useCallback((conversation: ConversationSummary) => setOpen({ what: "annotate", conversation }), [])
  const share = useCallback((conversation: ConversationSummary) => setOpen({ what: "share", conversation }), [])
  const onForgotten = (name: string) => {
    close()
    cache.setQueriesData<ListState>({ queryKey: ["conversations"] }, (list) => list && without(list, name))
    ways.toConversations()
  }

  useLiveStatus()
  useLiveApprovals()
  useLiveRuns()
  useLiveBoard()
  useNotifications(ways.toConversation)
  useLiveConversations("")

  const { toNext, said } = useNextThatNeedsYou(ways.toConversation)
  const changeTheme = () => setTheme(nextTheme(theme))
  useKeys({
    "mod+k": () => setOpen({ what: "palette" }),
    "?": () => openHelp("keys"),
    "g c": ways.toConversations,
    "g s": () => ways.toSearch(),
    "g a": ways.toApprovals,
    "g b": ways.toBoard,
    "g n": ways.toNow,
    n: toNext,
    "g u": ways.toUsage,
    c: ways.toNewRun,
    ",": ways.toSettings,
    "shift+t": changeTheme,
  }, 0)

  const ThemeIcon = THEME_ICONS[theme]
  return (
    <HelpContext value={openHelp}>
      <AnnotateContext value={annotate}>
      <ShareContext value={share}>
      <div className="flex h-(--room) flex-col">
        <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2">
          Skip to content
        </a>
        <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-1.5 sm:px-3 md:px-4">
          <Link to={isPhone ? "/now" : "/"} search={{}} className="flex items-center gap-2 rounded-md px-1 py-1 font-semibold tracking-tight">
            <Logo />
            <span className="max-sm:sr-only">Chorus</span>
          </Link>
          {isPhone ? null : <Navigation isBelow={false} />}
          <div className="ml-auto flex min-w-0 items-center gap-0.5">
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
            <IconButton label={`Theme: ${theme}`} keys="Shift T" onClick={changeTheme}>
              <ThemeIcon />
            </IconButton>
            <IconButton label="Settings" keys="," onClick={ways.toSettings}>
              <Settings />
            </IconButton>
            <IconButton label="Help" keys="?" onClick={() => openHelp("keys")}>
              <CircleHelp />
            </IconButton>
          </div>
        </header>
        <PanelGuard name="The notice of the server" of={status.data}>
          <ServerNotice status={status.data} />
        </PanelGuard>
        <UpdateNotice />
        <p role="status" className={said === "" ? "sr-only" : "fixed top-14 right-4 z-40 rounded-md bg-inverse px-3 py-1.5 text-on-inverse shadow-md"}>
          {said}
        </p>
        {/* What is placed absolutely in a page (text for screen readers) must not make the document longer than the window. */}
        <main id="main" className="relative min-h-0 flex-1 overflow-hidden">
          <Outlet />
        </main>
        {isPhone ? <Navigation isBelow isHidden={isTyping} /> : null}
      </div>
      </ShareContext>
      </AnnotateContext>
      <PanelGuard name="This dialog" of={open}>
        {open?.what === "annotate" ? (
          <Suspense fallback={null}>
            <AnnotateDialog conversation={open.conversation} onClose={close} onForgotten={onForgotten} />
          </Suspense>
        ) : null}
        {open?.what === "share" ? (
          <Suspense fallback={null}>
            <ShareDialog conversation={open.conversation} onClose={close} />
          </Suspense>
        ) : null}
        {open?.what === "help" ? <HelpSheet topic={open.topic} onClose={close} /> : null}
        {open?.what === "status" ? <StatusPanel status={status.data} onClose={close} /> : null}
        {open?.what === "palette" ? <Jump ways={ways} onHelp={openHelp} onClose={close} /> : null}
      </PanelGuard>
    </HelpContext>
  )
}
