import type { ServerStatus } from "@/api/schema"
import { size } from "@/blocks/text/figures"

type State = Pick<ServerStatus, "state" | "done_bytes" | "total_bytes">

/** What the server is doing, as a sentence. */
export function stateInWords({ state, done_bytes, total_bytes }: State): string {
  switch (state) {
    case "starting":
      return "Starting"
    case "keeping":
      return `Keeping sessions: ${size(done_bytes)} of ${size(total_bytes)}`
    case "watching":
      return "Watching: new records are kept as they are written"
    case "failed":
      return "Stopped keeping new records"
    default:
      state satisfies never
      return ""
  }
}
