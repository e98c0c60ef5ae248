import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router"
import { ApprovalsRoute } from "./approvals-route"
import { BlameRoute, type BlameSearch } from "./blame-route"
import { BoardRoute } from "./board-route"
import { BudgetsRoute } from "./budgets-route"
import { ChangesRoute, type ChangesSearch } from "./changes-route"
import { CompareRoute } from "./compare-route"
import { ConversationsRoute } from "./conversations-route"
import { FilesRoute, type FilesSearch } from "./files-route"
import { NewRunRoute } from "./new-run-route"
import { NowRoute } from "./now-route"
import { PageFailed, PageMissing } from "./page-failed"
import { RulesRoute } from "./rules-route"
import { SearchRoute } from "./search-route"
import { allOf, oneOf, parsedSearch, writtenSearch } from "./search-params"
import { SettingsRoute } from "./settings-route"
import { Shell } from "./shell"
import { TranscriptRoute } from "./transcript-route"
import { UsageRoute } from "./usage-route"

const root = createRootRoute({ component: Shell, notFoundComponent: PageMissing, errorComponent: PageFailed })

const conversations = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: (params: Record<string, unknown>): { q?: string; sort?: string } => ({
    q: oneOf(params, "q"),
    sort: oneOf(params, "sort"),
  }),
  component: ConversationsRoute,
})

const search = createRoute({
  getParentRoute: () => root,
  path: "/search",
  validateSearch: (params: Record<string, unknown>): { q?: string; order?: "rank" } => ({
    q: oneOf(params, "q"),
    order: oneOf(params, "order") === "rank" ? "rank" : undefined,
  }),
  component: SearchRoute,
})

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: (params: Record<string, unknown>): { a?: string; b?: string } => ({ a: oneOf(params, "a"), b: oneOf(params, "b") }),
  component: CompareRoute,
})

const board = createRoute({
  getParentRoute: () => root,
  path: "/board",
  validateSearch: (params: Record<string, unknown>): { workspace?: string } => ({ workspace: oneOf(params, "workspace") }),
  component: BoardRoute,
})

const now = createRoute({ getParentRoute: () => root, path: "/now", component: NowRoute })

const approvals = createRoute({ getParentRoute: () => root, path: "/approvals", component: ApprovalsRoute })

const rules = createRoute({ getParentRoute: () => root, path: "/rules", component: RulesRoute })

const budgets = createRoute({ getParentRoute: () => root, path: "/budgets", component: BudgetsRoute })

const settings = createRoute({ getParentRoute: () => root, path: "/settings", component: SettingsRoute })

const usage = createRoute({
  getParentRoute: () => root,
  path: "/usage",
  validateSearch: (params: Record<string, unknown>): { q?: string; by?: string; since?: string; of?: "tokens" } => ({
    q: oneOf(params, "q"),
    by: oneOf(params, "by"),
    since: oneOf(params, "since"),
    of: oneOf(params, "of") === "tokens" ? "tokens" : undefined,
  }),
  component: UsageRoute,
})

const newRun = createRoute({
  getParentRoute: () => root,
  path: "/new",
  validateSearch: (params: Record<string, unknown>): { place?: string } => ({ place: oneOf(params, "place") }),
  component: NewRunRoute,
})

const transcript = createRoute({
  getParentRoute: () => root,
  path: "/c/$workspace/$agent/$conversation",
  validateSearch: (params: Record<string, unknown>): { thread?: string; branch?: string[]; at?: string; word?: string[] } => ({
    thread: oneOf(params, "thread"),
    branch: allOf(params, "branch"),
    at: oneOf(params, "at"),
    word: allOf(params, "word"),
  }),
  component: TranscriptRoute,
})

const files = createRoute({
  getParentRoute: () => root,
  path: "/c/$workspace/$agent/$conversation/files",
  validateSearch: (params: Record<string, unknown>): FilesSearch => ({
    file: oneOf(params, "file"),
    before: oneOf(params, "before"),
    after: oneOf(params, "after"),
    view: oneOf(params, "view"),
    space: oneOf(params, "space"),
    scope: oneOf(params, "scope"),
  }),
  component: FilesRoute,
})

const changes = createRoute({
  getParentRoute: () => root,
  path: "/c/$workspace/$agent/$conversation/changes",
  validateSearch: (params: Record<string, unknown>): ChangesSearch => ({ view: oneOf(params, "view"), by: oneOf(params, "by") }),
  component: ChangesRoute,
})

const blame = createRoute({
  getParentRoute: () => root,
  path: "/blame/$workspace",
  validateSearch: (params: Record<string, unknown>): BlameSearch => ({
    file: oneOf(params, "file"),
    rev: oneOf(params, "rev"),
    line: oneOf(params, "line"),
  }),
  component: BlameRoute,
})

export const router = createRouter({
  routeTree: root.addChildren([conversations, now, search, compare, board, approvals, rules, budgets, usage, newRun, settings, transcript, files, changes, blame]),
  // Each route has its own error page, so the frame around it stays.
  defaultErrorComponent: PageFailed,
  parseSearch: parsedSearch,
  stringifySearch: writtenSearch,
  defaultPreload: false,
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
