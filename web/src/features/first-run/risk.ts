import type { AtRisk } from "@/api/schema"
import { several } from "@/blocks/text/figures"

/** Says how much the client will delete, and that Chorus keeps it. */
export function riskInWords({ sessions, cleanup }: AtRisk): string {
  const deletes = `Claude Code ${cleanup.replaceAll("`", "")}.`
  if (sessions === 0) return `${deletes} What Chorus has recorded stays readable.`
  return `${deletes} ${several(sessions, "session")} will go soon and ${sessions === 1 ? "is" : "are"} not recorded yet.`
}
