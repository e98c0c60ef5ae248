import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useBackend } from "@/api/follow"
import type { Rules } from "@/api/schema"
import { loadKey } from "@/parts/device-key"
import { ruleEntryBytes, ruleId } from "@/parts/signing"

const RULES_KEY = ["rules"]
const ASK_MS = 5000

/** The rules, and functions to add and remove one with the key of this browser. */
export function useRules() {
  const backend = useBackend()
  const cache = useQueryClient()
  const query = useQuery({ queryKey: RULES_KEY, queryFn: ({ signal }) => backend.rules(signal), refetchInterval: ASK_MS })

  /** Signs a change and sends it. The list is loaded first, because the signature has to name its last line. */
  const change = async (action: "add" | "remove", id: string, text: string) => {
    const key = await loadKey()
    const { head } = await backend.rules()
    if (key === null) throw new Error("This browser has no key to sign with.")
    const entry = { action, id, text, at: new Date().toISOString(), by: key.id }
    const signature = await key.sign(ruleEntryBytes(entry, head))
    cache.setQueryData<Rules>(RULES_KEY, await backend.changeRules({ ...entry, signature }))
  }
  return {
    query,
    add: async (text: string) => change("add", await ruleId(text), text),
    remove: async (id: string) => change("remove", id, ""),
  }
}

/** Rules that history suggests. */
export function useSuggestions() {
  const backend = useBackend()
  return useQuery({ queryKey: [...RULES_KEY, "suggestions"], queryFn: ({ signal }) => backend.ruleSuggestions(signal), staleTime: 60_000 })
}
