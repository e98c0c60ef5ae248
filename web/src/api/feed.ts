/**
 * The position of this page in the change feed, and what each frame of the socket means for it.
 *
 * Pure: `live.ts` does the communication. Each frame is passed on exactly once and in order. A break in the order is
 * reported, never hidden.
 */

import type { BoardChanged, Changed, Notification, Partial, RowsChanged, Running, RunShown, ServerStatus, ServerFrame } from "./schema"

export interface Feed {
  epoch: string | null
  seq: number | null
  /** The last changes, oldest first, without a gap: a page that was requested earlier does not contain them yet. */
  recent: readonly Changed[]
}

export const NOWHERE: Feed = { epoch: null, seq: null, recent: [] }

/** An event that the rest of the page receives. */
export type LiveEvent =
  | { type: "changed"; epoch: string; frame: Changed }
  | { type: "rows"; frame: RowsChanged }
  | { type: "partial"; frame: Partial }
  | { type: "status"; status: ServerStatus }
  /** All sessions that clients have open now. */
  | { type: "running"; sessions: readonly Running[] }
  /** All active runs, and those that ended recently. */
  | { type: "runs"; runs: readonly RunShown[] }
  /** Permission requests were created, decided or ended; `pending` of them are open now. */
  | { type: "approvals"; pending: number }
  /** Conversations were renamed, starred, archived, tagged or described. */
  | { type: "annotations" }
  /** Something happened that the rules of this device ask for. */
  | { type: "notified"; notification: Notification }
  /** Tiles of the board changed. */
  | { type: "board"; change: BoardChanged }
  /** Everything that was read before this position has to be read again. */
  | { type: "reread"; epoch: string; seq: number }
  /** Frames are missing: connect again from the current position. */
  | { type: "broken" }

const RECENT_FRAMES = 256

export function applyFrame(feed: Feed, frame: ServerFrame): { feed: Feed; event: LiveEvent | null } {
  switch (frame.type) {
    case "welcome": {
      const goesOn = feed.epoch === frame.epoch && feed.seq !== null && !frame.is_reset
      if (goesOn) return { feed, event: null }
      const { epoch, seq } = frame
      return { feed: { epoch, seq, recent: [] }, event: { type: "reread", epoch, seq } }
    }
    case "changed": {
      if (feed.epoch === null || feed.seq === null) return { feed, event: { type: "broken" } }
      if (frame.seq <= feed.seq) return { feed, event: null }
      if (frame.since !== feed.seq) return { feed, event: { type: "broken" } }
      const recent = [...feed.recent, frame].slice(-RECENT_FRAMES)
      return { feed: { ...feed, seq: frame.seq, recent }, event: { type: "changed", epoch: feed.epoch, frame } }
    }
    case "rows":
      if (feed.seq !== null && frame.seq <= feed.seq) return { feed, event: null }
      return { feed, event: { type: "rows", frame } }
    case "partial":
      return { feed, event: { type: "partial", frame } }
    case "gap": {
      if (feed.epoch === null || (feed.seq !== null && frame.seq <= feed.seq)) return { feed, event: null }
      const { epoch } = feed
      return { feed: { epoch, seq: frame.seq, recent: [] }, event: { type: "reread", epoch, seq: frame.seq } }
    }
    case "status":
      return { feed, event: { type: "status", status: frame.status } }
    case "running":
      return { feed, event: { type: "running", sessions: frame.sessions } }
    case "runs":
      return { feed, event: { type: "runs", runs: frame.runs } }
    case "approvals":
      return { feed, event: { type: "approvals", pending: frame.pending } }
    case "annotations":
      return { feed, event: { type: "annotations" } }
    case "board":
      return { feed, event: { type: "board", change: frame } }
    case "notified":
      return { feed, event: { type: "notified", notification: frame.notification } }
    default:
      frame satisfies never
      return { feed, event: null }
  }
}

/**
 * Returns the changes that data read at this position does not contain, or null if they are no longer known and the
 * data has to be read again. Before the socket is open there are none: its welcome frame covers what was read until
 * then.
 */
export function changesSince(feed: Feed, epoch: string, seq: number): readonly Changed[] | null {
  if (feed.epoch === null || feed.seq === null) return []
  if (feed.epoch !== epoch) return null
  if (seq >= feed.seq) return []
  const missed = feed.recent.filter((frame) => frame.seq > seq)
  const first = missed[0]
  return first !== undefined && first.since <= seq ? missed : null
}
