import { useNavigate } from "@tanstack/react-router"
import { nameParts } from "@/parts/places"

/** The places that keys and the palette lead to, on every page. */
export interface Ways {
  toConversations(): void
  toSearch(q?: string): void
  toApprovals(): void
  toBoard(): void
  toNow(): void
  toRules(): void
  toBudgets(): void
  toUsage(): void
  toNewRun(): void
  toSettings(): void
  toConversation(name: string): void
}

export function useWays(): Ways {
  const navigate = useNavigate()
  return {
    toConversations: () => void navigate({ to: "/", search: {} }),
    toSearch: (q) => void navigate({ to: "/search", search: { q } }),
    toApprovals: () => void navigate({ to: "/approvals" }),
    toBoard: () => void navigate({ to: "/board", search: {} }),
    toNow: () => void navigate({ to: "/now" }),
    toRules: () => void navigate({ to: "/rules" }),
    toBudgets: () => void navigate({ to: "/budgets" }),
    toUsage: () => void navigate({ to: "/usage", search: {} }),
    toSettings: () => void navigate({ to: "/settings" }),
    toNewRun: () => void navigate({ to: "/new", search: {} }),
    toConversation: (name) => void navigate({ to: "/c/$workspace/$agent/$conversation", params: nameParts(name) }),
  }
}
