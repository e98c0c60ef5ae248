import { useCallback } from "react"
import { useBackend } from "@/api/follow"
import type { Advise } from "@/ui/query-advice"

/** Completions and errors of a query, from the server, which knows the language and the names. */
export function useAdvise(): Advise {
  const backend = useBackend()
  return useCallback((text, at, signal) => backend.complete(text, at, signal), [backend])
}
