import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { ProblemError } from "@/api/backend"
import { type Source, SourceContext } from "@/api/follow"
import { TooltipLayer } from "@/ui/tooltip"
import { router } from "./router"
import { SessionGate } from "./session-gate"

const MOST_TRIES = 3

const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // A decision of the server is final; only a missing response is worth another try.
      retry: (failures, error) =>
        error instanceof ProblemError && error.kind === "unreachable" && failures < MOST_TRIES,
      retryDelay: (failures) => 300 * 2 ** failures,
      refetchOnWindowFocus: false,
      networkMode: "always",
    },
  },
})

export function App({ source, token }: { source: Source; token: string | null }) {
  return (
    <SourceContext value={source}>
      <QueryClientProvider client={cache}>
        <SessionGate token={token}>
          <RouterProvider router={router} />
        </SessionGate>
        <TooltipLayer />
      </QueryClientProvider>
    </SourceContext>
  )
}
