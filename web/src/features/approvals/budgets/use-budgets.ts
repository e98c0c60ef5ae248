import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useBackend } from "@/api/follow"
import type { BudgetShown, Budgets, BudgetTest } from "@/api/schema"
import { loadKey } from "@/parts/device-key"
import { budgetEntryBytes } from "@/parts/signing"

const BUDGETS_KEY = ["budgets"]
const ASK_MS = 5000

/** The budgets, and functions to set and remove one with the key of this browser. */
export function useBudgets() {
  const backend = useBackend()
  const cache = useQueryClient()
  const query = useQuery({ queryKey: BUDGETS_KEY, queryFn: ({ signal }) => backend.budgets(signal), refetchInterval: ASK_MS })

  /** Signs a change and sends it. The list is loaded first, because the signature has to name its last line. */
  const change = async (action: "set" | "remove", id: string, text: string) => {
    const key = await loadKey()
    const { head } = await backend.budgets()
    if (key === null) throw new Error("This browser has no key to sign with.")
    const entry = { action, id, text, at: new Date().toISOString(), by: key.id }
    const signature = await key.sign(budgetEntryBytes(entry, head))
    cache.setQueryData<Budgets>(BUDGETS_KEY, await backend.changeBudgets({ ...entry, signature }))
  }
  return {
    query,
    set: async ({ id, text }: BudgetTest) => change("set", id, text),
    remove: async ({ id }: BudgetShown) => change("remove", id, ""),
  }
}
