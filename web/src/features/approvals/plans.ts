/** Plans to approve. Pure. */

import type { ApprovalCard } from "@/api/schema"
import { fieldsOf } from "./questions"

const SHOWN = ["plan", "planFilePath"]
/**
 * What Markdown may not show all of: definitions that links and notes refer to, perhaps none; where links lead and what
 * they are called; cells of tables beyond the last column; words behind the language of a fence.
 */
const UNSHOWN = /\]:|\]\(|\||^[ \t>]*(?:`{3,}|~{3,})[^\n]*\S[ \t]+\S/m

export function isPlan({ kind, blocks }: Pick<ApprovalCard, "kind" | "blocks">): boolean {
  return kind === "plan" && blocks.some(({ type }) => type === "plan")
}

/** What is to be seen of a request; of a plan not its text once more, unless drawn as Markdown a part of it is missing. */
export function blocksOf(card: Pick<ApprovalCard, "kind" | "blocks" | "input">): ApprovalCard["blocks"] {
  if (!isPlan(card)) return card.blocks
  const fields = fieldsOf(card.input) ?? {}
  const plan = fields["plan"]
  const isAll = typeof plan === "string" && !UNSHOWN.test(plan) && Object.keys(fields).every((name) => SHOWN.includes(name))
  return isAll ? card.blocks.filter(({ type }) => type !== "json") : card.blocks
}
