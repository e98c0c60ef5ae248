import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { createHashHistory, createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from "@tanstack/react-router"
import { Monitor, Moon, Sun } from "lucide-react"
import { useCallback, useMemo } from "react"
import { type Source, SourceContext } from "@/api/follow"
import type { ExportedFile } from "@/api/schema"
import { Logo } from "@/app/logo"
import { PageFailed } from "@/app/page-failed"
import { allOf, oneOf, parsedSearch, writtenSearch } from "@/app/search-params"
import { nextTheme, setTheme, useTheme } from "@/app/theme"
import { seenLine } from "@/blocks/text/seen"
import type { Go } from "@/features/transcript/place"
import TranscriptPage from "@/features/transcript/transcript-page"
import { IconButton } from "@/ui/button"
import { useKeys } from "@/ui/keys"
import { usePageTitle } from "@/ui/page-title"
import { TooltipLayer } from "@/ui/tooltip"

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const
const NO_WORDS: readonly string[] = []
const cache = new QueryClient({ defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false, networkMode: "always" } } })

/** The application in an exported file: one conversation, read with the same components as on the server's page. */
export function ExportedApp({ file, source }: { file: ExportedFile; source: Source }) {
  const router = useMemo(() => routerOf(file), [file])
  return (
    <SourceContext value={source}>
      <QueryClientProvider client={cache}>
        <RouterProvider router={router} />
        <TooltipLayer />
      </QueryClientProvider>
    </SourceContext>
  )
}

function routerOf(file: ExportedFile) {
  const root = createRootRoute({ component: Frame, notFoundComponent: Conversation, errorComponent: PageFailed })
  const conversation = createRoute({
    getParentRoute: () => root,
    path: "/c/$workspace/$agent/$conversation",
    component: Conversation,
  })
  const first = createRoute({ getParentRoute: () => root, path: "/", component: Conversation })

  function Frame() {
    return <ExportedFrame file={file} />
  }

  function Conversation() {
    return <ExportedConversation file={file} search={root.useSearch()} navigate={root.useNavigate()} />
  }

  return createRouter({
    routeTree: root.addChildren([first, conversation]),
    history: createHashHistory(),
    defaultErrorComponent: PageFailed,
    parseSearch: parsedSearch,
    stringifySearch: writtenSearch,
  })
}

function ExportedFrame({ file }: { file: ExportedFile }) {
  const theme = useTheme()
  const changeTheme = () => setTheme(nextTheme(theme))
  useKeys({ "shift+t": changeTheme }, 0)
  const ThemeIcon = THEME_ICONS[theme]
  return (
    <div className="flex h-dvh flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-3 md:px-4">
        <Logo />
        <span className="font-semibold tracking-tight">Chorus</span>
        <span className="min-w-0 truncate text-sm text-ink-2">
          A shared conversation{file.replaced > 0 ? `, ${values(file.replaced)} replaced` : ""}
        </span>
        <div className="ml-auto">
          <IconButton label={`Theme: ${theme}`} keys="Shift T" onClick={changeTheme}>
            <ThemeIcon />
          </IconButton>
        </div>
      </header>
      <main id="main" className="relative min-h-0 flex-1 overflow-hidden">
        <Outlet />
      </main>
    </div>
  )
}

type Search = Record<string, unknown>
type Navigate = (to: { search: (before: Search) => Search; replace?: boolean }) => Promise<void>

function values(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "value" : "values"}`
}

function ExportedConversation({ file, search, navigate }: { file: ExportedFile; search: Search; navigate: Navigate }) {
  const { name, title } = file.detail.summary
  const thread = oneOf(search, "thread") ?? file.thread
  // Somebody who gets a file reads it from its beginning.
  const first = file.threads.find(({ id }) => id === thread)?.rows[0]?.row.id ?? null
  usePageTitle(seenLine(title) || "Conversation")
  const branch = useMemo(() => allOf(search, "branch") ?? NO_WORDS, [search])
  const words = useMemo(() => allOf(search, "word") ?? NO_WORDS, [search])
  const onGo = useCallback(
    (place: Go, isCorrection = false) =>
      void navigate({ search: (before) => ({ ...before, ...("at" in place ? { word: undefined } : {}), ...place }), replace: isCorrection }),
    [navigate],
  )
  return (
    <TranscriptPage
      name={name}
      thread={thread}
      branches={branch}
      at={oneOf(search, "at") ?? first}
      words={words}
      onGo={onGo}
      waiting={null}
      absent={null}
      onFork={() => undefined}
    />
  )
}
