// What the application relies on in the generated types. tests/web/test_types.py compiles this file.
import type { Block, Hello, Note, Page, Piece, Row, SubAgent, ServerFrame } from "../../web/src/api/schema";

type Optional<T> = { [K in keyof T]-?: {} extends Pick<T, K> ? K : never }[keyof T];
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** A defaulted field is always present. */
export const none: Same<Optional<SubAgent> | Optional<Note> | Optional<Extract<Row, { type: "message" }>>, never> = true;

/** A literal type stays a literal type. */
export const level: Same<Note["level"], "info" | "warning" | "error"> = true;

/** A closed switch over `type` reaches every member and nothing else. */
export function place(frame: ServerFrame): number | string {
  switch (frame.type) {
    case "welcome":
      return frame.epoch;
    case "changed":
      return frame.since;
    case "rows":
      return frame.rows.length;
    case "partial":
      return frame.row.thread;
    case "gap":
      return frame.since;
    case "status":
      return frame.status.version;
    case "running":
      return frame.sessions.length;
    case "approvals":
      return frame.pending;
    case "runs":
      return frame.runs.length;
    case "board":
      return frame.revision;
    case "notified":
      return frame.notification.title;
    case "annotations":
      return frame.type;
    default:
      frame satisfies never;
      return "";
  }
}

/** A switch with a missing case does not compile. */
export function open(frame: ServerFrame): string {
  switch (frame.type) {
    case "welcome":
    case "changed":
    case "rows":
    case "partial":
    case "gap":
    case "running":
      return frame.type;
    default:
      // @ts-expect-error the case `status` is missing
      frame satisfies never;
      return "";
  }
}

/** Rows contain calls, calls contain agents, and agents contain rows. */
export function nested(row: Row): Row[] {
  if (row.type === "agent") return row.agent.rows.flatMap((inner) => [inner, ...nested(inner)]);
  if (row.type !== "message") return [];
  return row.pieces.flatMap((piece: Piece) => (piece.type === "call" ? (piece.agent?.rows ?? []) : []));
}

/** A piece that is not a call is a block. */
export function block(piece: Piece): Block | null {
  return piece.type === "call" ? null : piece;
}

/** A key is the tuple of its parts. */
export function key(page: Page): [string, number, string, number, number, string] | undefined {
  return page.rows[0]?.key;
}

export const hello: Hello = { type: "hello", ticket: "t", epoch: null, seq: null, follow: [] };
