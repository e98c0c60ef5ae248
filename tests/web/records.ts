// What authors of other tools rely on in docs/formats/*.d.ts. tests/web/test_types.py compiles this file.
import type { ClaudeMessage, ContentBlock, FileHistorySnapshot, QueueOperation } from "../../docs/formats/records";
import type { StoredLine } from "../../docs/formats/vault";

/** The record of a stored line narrows by its type, and so does a block. */
export function words(line: StoredLine): string {
  const message = line.claudeMessage;
  if (message?.type !== "assistant") return "";
  const content = message.message?.content ?? [];
  if (typeof content === "string") return content;
  return content.map(said).join("\n");
}

function said(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "tool_use":
      return `${block.name ?? ""} ${JSON.stringify(block.input ?? {})}`;
    case "tool_result":
      return typeof block.content === "string" ? block.content : (block.content ?? []).map(said).join("");
    default:
      return "";
  }
}

/** Tokens and costs are numbers. */
export function cost(record: ClaudeMessage): number {
  return record.type === "result" ? (record.total_cost_usd ?? 0) : 0;
}

export function tokens(record: ClaudeMessage): number {
  return record.type === "assistant" ? (record.message?.usage?.output_tokens ?? 0) : 0;
}

/** Queue and snapshot records have their own fields. */
export const queued: QueueOperation = { type: "queue-operation", operation: "enqueue", content: "go on" };
export const snapshot: FileHistorySnapshot = { type: "file-history-snapshot", messageId: "m", isSnapshotUpdate: false };

// @ts-expect-error a record has no such type
export const wrong: ClaudeMessage["type"] = "nonsense";

// @ts-expect-error a text block has no tool name
export const nothing: string = ({ type: "text", text: "" } as Extract<ContentBlock, { type: "text" }>).tool_name;
