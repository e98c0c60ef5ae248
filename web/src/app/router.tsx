import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router"
import { ApprovalsRoute } from "./approvals-route"
import { ConversationsRoute } from "./conversations-route"
import { NewRunRoute } from "./new-run-route"
import { PageFailed, PageMissing } from "./page-failed"
import { SearchRoute } from "./search-route"
import { allOf, oneOf, parsedSearch, writtenSearch } from "./search-params"
import { SettingsRoute } from "./settings-route"
import { Shell } from "./shell"
import { TranscriptRoute } from "./transcript-route"

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

const approvals = createRoute({ getParentRoute: () => root, path: "/approvals", component: ApprovalsRoute })

const settings = createRoute({ getParentRoute: () => root, path: "/settings", component: SettingsRoute })

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

export const router = createRouter({
  routeTree: root.addChildren([conversations, search, approvals, newRun, settings, transcript]),
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
