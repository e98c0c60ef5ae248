/**
 * Divides the list into sections: conversations that need a person, those at work, and the rest by day, older ones by
 * month. Pure.
 */

import type { Asking } from "@/api/asking"
import type { RunningNow } from "@/api/live"
import { runOf } from "@/api/runs"
import type { ConversationProgressShown, ConversationSummary, RunShown } from "@/api/schema"
import { type Activity, activityOf, isAtWork, subAgentsAtWork, withRun, withRunning } from "@/parts/activity"
import { currentProgress } from "@/parts/progress"
import { instant, spanName } from "@/ui/when"

export interface Entry {
  conversation: ConversationSummary
  activity: Activity
  subAgents: number
  progress: ConversationProgressShown | null
  /** The run that Chorus has for it, or had recently. */
  run: RunShown | null
}

export interface Section {
  title: string
  /** `all`: one section in the given order, without a heading. */
  kind: "waiting" | "at work" | "day" | "all"
  entries: Entry[]
}

const NOBODY: Asking = new Set()
const NO_RUNS: readonly RunShown[] = []

/**
 * `asking` has the conversations with an open permission request; `runs` are the runs of Chorus. A list that is not
 * ordered by time stays as it is, in one section.
 */
export function sectionsOf(
  conversations: readonly ConversationSummary[],
  running: RunningNow,
  now: number,
  locale?: string,
  asking: Asking = NOBODY,
  runs: readonly RunShown[] = NO_RUNS,
  isByTime = true,
): Section[] {
  const all: Section = { title: "", kind: "all", entries: [] }
  const waiting: Section = { title: "Waiting for you", kind: "waiting", entries: [] }
  const atWork: Section = { title: "At work", kind: "at work", entries: [] }
  const days: Section[] = []
  for (const summary of conversations) {
    const run = runs.length === 0 ? null : runOf(runs, summary.name)
    const conversation = withRun(withRunning(summary, running), run)
    const activity = asking.has(conversation.name) ? "waiting" : activityOf(conversation, now)
    const entry: Entry = {
      conversation,
      run,
      activity,
      subAgents: subAgentsAtWork(conversation, now),
      progress: currentProgress(conversation, activity, now),
    }
    if (!isByTime) all.entries.push(entry)
    else if (entry.activity === "waiting") waiting.entries.push(entry)
    else if (isAtWork(entry.activity)) atWork.entries.push(entry)
    else {
      const ms = instant(conversation.ended_at ?? conversation.started_at)
      const title = ms === null ? "No time known" : spanName(ms, now, locale)
      const day = days.at(-1)
      if (day?.title === title) day.entries.push(entry)
      else days.push({ title, kind: "day", entries: [entry] })
    }
  }
  return [all, waiting, atWork, ...days].filter(({ entries }) => entries.length > 0)
}

/** Returns how many conversations wait for something other than a permission request, which is counted separately. */
export function waitingCount(
  conversations: readonly ConversationSummary[],
  running: RunningNow,
  now: number,
  asking: Asking = NOBODY,
  runs: readonly RunShown[] = NO_RUNS,
): number {
  return conversations.filter(
    (each) => !asking.has(each.name) && activityOf(withRun(withRunning(each, running), runOf(runs, each.name)), now) === "waiting",
  ).length
}
