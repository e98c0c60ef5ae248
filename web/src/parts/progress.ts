/** How far a conversation is: whether to show it now, and in words. The terminal applies the same rules. Pure. */

import type { ConversationProgressShown, ConversationSummary, ProgressShown, SubAgentProgressShown } from "@/api/schema"
import { several } from "@/blocks/text/figures"
import { instant } from "@/ui/when"
import { type Activity, isAtWork, QUIET_AFTER_MS } from "./activity"

/** What is shown of a progress. */
export type ProgressFacts = Pick<ProgressShown, "step" | "completed" | "total" | "percentage" | "source" | "confidence" | "reason">
export type SubAgentFacts = Pick<SubAgentProgressShown, "id" | "description" | "step" | "calls" | "source"> & { progress: ProgressFacts | null }
export interface ConversationFacts {
  main: ProgressFacts | null
  sub_agents: readonly SubAgentFacts[]
}

type Facts = Pick<ConversationSummary, "progress" | "ended_at">

const SOURCES: Record<ProgressShown["source"], string> = {
  todos: "to-do list",
  task: "tasks",
  client: "client",
  program: "program",
  prose: "words",
}
const SOURCES_IN_FULL: Record<ProgressShown["source"], string> = {
  todos: "the to-do list of the model",
  task: "the task list, or the records of the sub-agent",
  client: "a progress record of the client",
  program: "the output of a program",
  prose: "the words of the model",
}

/** Returns the progress to show, or null. Sub-agents may be at work after the turn has ended, but not for long. */
export function currentProgress({ progress, ended_at }: Facts, activity: Activity, now: number): ConversationProgressShown | null {
  if (progress === null) return null
  if (isAtWork(activity) || activity === "waiting") return progress
  const last = instant(ended_at)
  if (activity === "quiet" || last === null || now - last > QUIET_AFTER_MS) return null
  const subAgents = progress.sub_agents.filter(({ id }) => id !== "")
  return subAgents.length === 0 ? null : { main: null, sub_agents: subAgents }
}

/** "12 of 20", or "12" if nobody said how many there are. */
export function countInWords({ completed, total }: ProgressFacts): string {
  if (completed === null) return ""
  return total === null ? String(completed) : `${completed} of ${total}`
}

export function sourceInShort(source: ProgressShown["source"]): string {
  return SOURCES[source]
}

/** Where the progress comes from, how sure it is, and why it is less than before. */
export function progressInFull({ percentage, source, confidence, reason }: ProgressFacts): string {
  const share = percentage === null ? [] : [`${percentage} %`]
  const back = reason === null ? [] : [`Less than before: ${reason}`]
  return [...share, `From ${SOURCES_IN_FULL[source]}`, `Confidence ${Math.round(confidence * 100)} %`, ...back].join("\n")
}

/** What a sub-agent does, if it states no progress of its own. */
export function workInWords({ calls, step }: SubAgentFacts): string {
  return calls === 0 ? step : `${several(calls, "call")}, ${step}`
}
