/** The outcome of a request, in words. Pure. */

import type { ApprovalCard } from "@/api/schema"
import { duration, several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"

type SettledFacts = Pick<ApprovalCard, "kind" | "state" | "decision" | "effect" | "note" | "latency_ms">

const STATES: Record<ApprovalCard["state"], string> = {
  pending: "No longer waits",
  approved: "Approved",
  denied: "Denied",
  answered: "Answered elsewhere",
  expired: "Expired: nobody answered in time",
  withdrawn: "Withdrawn",
  invalid: "Not valid",
}

const EFFECTS: Record<NonNullable<ApprovalCard["effect"]>, string> = { sent: "sent", took_effect: "took effect", failed: "failed: the client was not answered" }

const NO_BREAK = "\u00a0"

const SURFACES: Record<string, string> = {
  page: "on the page",
  terminal: "in the terminal",
  api: "over the API",
  hook: "by a hook",
}

/** `Approved with a changed input` */
export function outcomeOf({ kind, state, decision, note }: SettledFacts): string {
  if (state === "approved" && kind === "question") return "Answered"
  if (state === "answered" && note !== null) return seenLine(note.charAt(0).toUpperCase() + note.slice(1))
  const changed = state === "approved" && decision?.is_changed ? " with a changed input" : ""
  const why = note === null || state === "approved" || state === "denied" ? "" : `: ${seenLine(note)}`
  return `${STATES[state]}${changed}${why}`
}

/** `by Ada in the terminal, after 12s`; if nobody decided, `(after 12s)`. The time is not broken over two lines. */
export function deciderOf({ state, decision, latency_ms }: SettledFacts): string {
  const after = latency_ms === null ? "" : `after ${duration(latency_ms)}`.replaceAll(" ", NO_BREAK)
  if (decision === null || (state !== "approved" && state !== "denied")) return after && `(${after})`
  const { approver, surface, rules } = decision
  if (rules.length > 0) return [`by ${rules.length === 1 ? "the rule" : "the rules"} ${rules.map(seenLine).join(", ")}`, after].filter(Boolean).join(", ")
  const who = approver === null ? "" : `by ${seenLine(approver)} `
  const where = Object.hasOwn(SURFACES, surface) ? (SURFACES[surface] ?? "") : `from ${seenLine(surface)}`
  return [`${who}${where}`, after].filter(Boolean).join(", ")
}

/** The effect of a decision: the client may have received another answer a moment before. */
export function effectOf({ state, decision, effect, note }: SettledFacts): string {
  if (decision === null) return ""
  if (state === "answered") return "too late"
  if (effect === "failed" && note !== null) return `failed: ${seenLine(note)}`
  return effect === null ? "" : EFFECTS[effect]
}

export function waitingInWords(count: number): string {
  if (count === 0) return "Nothing waits for you"
  return `${several(count, "request")} ${count === 1 ? "waits" : "wait"} for you`
}

/** Why an answer was not accepted, for the person who gave it. */
export function tooLate({ state }: SettledFacts): string {
  if (state === "answered") return "Too late: your answer was not accepted."
  return state === "approved" || state === "denied" || state === "pending"
    ? "Somebody was faster: your answer was not accepted."
    : "It was over before your answer came: nothing was allowed."
}

/** The time until a request ends, as a countdown: `4:05`, `1:04:05`. */
export function leftInWords(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const padded = (part: number): string => String(part).padStart(2, "0")
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(seconds % 60)}` : `${minutes}:${padded(seconds % 60)}`
}

/** The beginning of the fingerprint of a key, in groups for reading aloud: `4ee9 506b c61f 2fb0`. */
export function codeOf(fingerprint: string): string {
  return fingerprint.slice(0, 16).match(/.{1,4}/g)?.join(" ") ?? ""
}
