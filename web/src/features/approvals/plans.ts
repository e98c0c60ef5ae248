/** Plans to approve. Pure. */

import type { ApprovalCard } from "@/api/schema"
import { fieldsOf } from "./questions"

const SHOWN = ["plan", "planFilePath"]
/**
 * What rendered Markdown may hide: definitions of links and footnotes, perhaps unused; the targets and titles of links;
 * table cells after the last column; words after the language of a code fence.
 */
const UNSHOWN = /\]:|\]\(|\||^[ \t>]*(?:`{3,}|~{3,})[^\n]*\S[ \t]+\S/m

export function isPlan({ kind, blocks }: Pick<ApprovalCard, "kind" | "blocks">): boolean {
  return kind === "plan" && blocks.some(({ type }) => type === "plan")
}

/**
 * Returns the blocks to show for a request. The source text of a plan is left out, unless a part of it is missing in
 * the rendered Markdown.
 */
export function blocksOf(card: Pick<ApprovalCard, "kind" | "blocks" | "input">): ApprovalCard["blocks"] {
  if (!isPlan(card)) return card.blocks
  const fields = fieldsOf(card.input) ?? {}
  const plan = fields["plan"]
  const isAll = typeof plan === "string" && !UNSHOWN.test(plan) && Object.keys(fields).every((name) => SHOWN.includes(name))
  return isAll ? card.blocks.filter(({ type }) => type !== "json") : card.blocks
}
