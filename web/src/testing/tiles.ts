import type { Column, Tile } from "@/api/schema"

/** A tile of the board; one that needs the reader has waited since `since`. */
export function tile(name: string, column: Column = "needs you", since: string | null = null, more: Partial<Tile> = {}): Tile {
  return {
    name,
    id: name,
    title: name,
    workspace: "w",
    workspace_name: "w",
    agent: "main",
    branch: null,
    folder: null,
    column,
    status: "thinking",
    run: null,
    pane: null,
    reasons: column === "needs you" ? [{ kind: "client", text: "waits for you", request: null, call: null, since }] : [],
    calls: [],
    progress: null,
    alerts: [],
    sub_agents: 0,
    sub_agents_at_work: 0,
    context: null,
    cost_usd: null,
    is_lower_bound: false,
    started_at: null,
    last_at: null,
    ...more,
  }
}
