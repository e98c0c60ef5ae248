import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useEffect } from "react"
import { isProblem, ProblemError } from "@/api/backend"
import { useConnection, useSource } from "@/api/follow"
import { STATUS_KEY, useStatus } from "@/api/use-status"
import { LoggedOut } from "./logged-out"
import { lookForUpdate } from "./service-worker-registration"
import { Unreachable } from "./unreachable"

/** After this time out of sight, a connection may have been lost without a word. */
const SLEPT_MS = 60_000

/** Shows the application if the server knows this browser; logs in first if the link has a token. */
export function SessionGate({ token, children }: { token: string | null; children: ReactNode }) {
  const { backend } = useSource()
  const login = useQuery({
    queryKey: ["login", token],
    queryFn: async () => {
      if (token === null) return null
      try {
        await backend.login(token)
        return null
      } catch (error) {
        if (error instanceof ProblemError && error.kind !== "unreachable") return error.message
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  if (login.isPending) return <Waiting />
  if (login.isError) return <Unreachable onRetry={() => void login.refetch()} />
  return <Checked refusal={login.data}>{children}</Checked>
}

function Checked({ refusal, children }: { refusal: string | null; children: ReactNode }) {
  const { live } = useSource()
  const cache = useQueryClient()
  const { phase } = useConnection()
  const status = useStatus()
  const isKnown = status.data !== undefined

  useEffect(() => {
    if (!isKnown || live === null) return
    live.start()
    let hiddenAt = Number.POSITIVE_INFINITY
    const comeBack = () => {
      if (document.hidden) {
        hiddenAt = performance.now()
        return
      }
      if (performance.now() - hiddenAt > SLEPT_MS) live.renew()
      hiddenAt = Number.POSITIVE_INFINITY
      live.retryNow()
      void lookForUpdate()
    }
    window.addEventListener("online", comeBack)
    document.addEventListener("visibilitychange", comeBack)
    return () => {
      window.removeEventListener("online", comeBack)
      document.removeEventListener("visibilitychange", comeBack)
    }
  }, [isKnown, live])

  // A server that came back may be a newer one.
  const isLive = phase === "live"
  useEffect(() => {
    if (isLive) void lookForUpdate()
  }, [isLive])

  // The login ended elsewhere: this browser may no longer show what it loaded.
  const isOut = phase === "logged out" || isProblem(status.error, "not_logged_in")
  useEffect(() => {
    if (isOut) cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== STATUS_KEY[0] && queryKey[0] !== "login" })
  }, [isOut, cache])

  if (isOut) return <LoggedOut refusal={refusal} />
  if (isKnown) return children
  if (status.isError) {
    const message = isProblem(status.error, "unreachable") ? undefined : status.error.message
    return <Unreachable message={message} onRetry={() => void status.refetch()} />
  }
  return <Waiting />
}

/** Shows nothing for a moment, because a page that flashes by is worse than an empty one. */
function Waiting() {
  return <div aria-busy="true" className="h-full" />
}
