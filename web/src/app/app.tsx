import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { ProblemError } from "@/api/backend"
import { type Source, SourceContext } from "@/api/follow"
import type { MobileClient } from "@/api/mobile/client"
import { PhoneContext } from "@/api/mobile/use-phone"
import type { Offered } from "@/features/pairing/link"
import { TooltipLayer } from "@/ui/tooltip"
import { PairRoute } from "./pair-route"
import { router } from "./router"
import { SessionGate } from "./session-gate"

const MAX_TRIES = 3

const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // A decision of the server is final; only a missing response is worth another try.
      retry: (failures, error) =>
        error instanceof ProblemError && error.kind === "unreachable" && failures < MAX_TRIES,
      retryDelay: (failures) => 300 * 2 ** failures,
      refetchOnWindowFocus: false,
      networkMode: "always",
    },
  },
})

interface AppProps {
  source: Source
  phone: MobileClient
  token: string | null
  /** What the QR code offers, if a phone opened its address. */
  offered: Offered | null
}

export function App({ source, phone, token, offered }: AppProps) {
  return (
    <SourceContext value={source}>
      <QueryClientProvider client={cache}>
        {offered === null ? (
          <SessionGate token={token}>
            <PhoneContext value={phone}>
              <RouterProvider router={router} />
            </PhoneContext>
          </SessionGate>
        ) : (
          <PairRoute offered={offered} />
        )}
        <TooltipLayer />
      </QueryClientProvider>
    </SourceContext>
  )
}
