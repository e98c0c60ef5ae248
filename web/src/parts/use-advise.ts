import { useCallback } from "react"
import { useBackend } from "@/api/follow"
import type { Advise } from "@/ui/query-advice"

/** Completions and faults of a query, from the server: it knows the language and the names. */
export function useAdvise(): Advise {
  const backend = useBackend()
  return useCallback((text, at, signal) => backend.complete(text, at, signal), [backend])
}
