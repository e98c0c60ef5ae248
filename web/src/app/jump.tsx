import { useQueryClient } from "@tanstack/react-query"
import { ChartColumn, CircleHelp, Columns3, Gauge, ListChecks, LogOut, MessagesSquare, Monitor, Moon, Play, Search, Settings, ShieldQuestionMark, Smartphone, Sun } from "lucide-react"
import { useBackend } from "@/api/follow"
import { STATUS_KEY } from "@/api/use-status"
import { useConversations } from "@/features/conversations/use-conversations"
import { Palette } from "@/features/palette/palette"
import type { OpenHelp } from "./help-context"
import { setTheme } from "./theme"
import type { Ways } from "./use-ways"

/** The palette with every conversation and action. */
export function Jump({ ways, onHelp, onClose }: { ways: Ways; onHelp: OpenHelp; onClose: () => void }) {
  const backend = useBackend()
  const cache = useQueryClient()
  const conversations = useConversations("").data?.items ?? []

  const logOut = async () => {
    await backend.logout().catch(() => {})
    await cache.invalidateQueries({ queryKey: STATUS_KEY })
  }
  return (
    <Palette
      conversations={conversations}
      actions={[
        { id: "new", title: "Start an agent", words: "new run session claude", icon: Play, keys: "C", run: ways.toNewRun },
        { id: "conversations", title: "Conversations", icon: MessagesSquare, keys: "G C", run: ways.toConversations },
        { id: "search", title: "Search", icon: Search, keys: "G S", run: () => ways.toSearch() },
        { id: "approvals", title: "Approvals", words: "permission requests allow deny inbox", icon: ShieldQuestionMark, keys: "G A", run: ways.toApprovals },
        { id: "board", title: "Board", words: "columns needs you working idle failed agents", icon: Columns3, keys: "G B", run: ways.toBoard },
        { id: "now", title: "Now", words: "phone start needs you working progress", icon: Smartphone, keys: "G N", run: ways.toNow },
        { id: "rules", title: "Rules", words: "allow deny ask automatically routine requests", icon: ListChecks, run: ways.toRules },
        { id: "budgets", title: "Budgets", words: "limits money cost tokens minutes stop exceptions", icon: Gauge, run: ways.toBudgets },
        { id: "usage", title: "Usage", words: "cost tokens tools statistics charts", icon: ChartColumn, keys: "G U", run: ways.toUsage },
        { id: "settings", title: "Settings", words: "preferences text size density hooks approvers devices prices about", icon: Settings, keys: ",", run: ways.toSettings },
        { id: "system", title: "Theme: system", words: "dark light colour", icon: Monitor, run: () => setTheme("system") },
        { id: "light", title: "Theme: light", words: "colour", icon: Sun, run: () => setTheme("light") },
        { id: "dark", title: "Theme: dark", words: "colour night", icon: Moon, run: () => setTheme("dark") },
        { id: "keys", title: "Keys", words: "help shortcuts", icon: CircleHelp, keys: "?", run: () => onHelp("keys") },
        { id: "queries", title: "Query help", words: "help query language", icon: CircleHelp, run: () => onHelp("queries") },
        { id: "logout", title: "Log out", words: "sign session", icon: LogOut, run: () => void logOut() },
      ]}
      onOpen={ways.toConversation}
      onSearch={ways.toSearch}
      onClose={onClose}
    />
  )
}
