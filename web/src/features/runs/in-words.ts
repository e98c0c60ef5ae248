/** The state of an agent, in words. Pure. */

import type { AgentShown, RunShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { modelName } from "@/parts/model-name"

const STATES: Record<RunShown["state"], string> = {
  starting: "Starting …",
  running: "At work",
  waiting: "Waiting for you",
  idle: "Waits for your next message",
  ending: "Ending …",
  ended: "Ended",
  lost: "Lost: its holder was killed, and the client with it",
}

export function stateInWords(state: RunShown["state"]): string {
  return STATES[state]
}

/** Whether there is a turn that can be interrupted, and that a message may wait for. */
export function isBusy(state: RunShown["state"]): boolean {
  return state === "running" || state === "waiting"
}

const MODES: Record<string, string> = {
  default: "as usual",
  plan: "plan first",
  acceptEdits: "edits allowed",
  bypassPermissions: "everything allowed",
  dontAsk: "never asks",
}

export function modeInWords(mode: string): string {
  if (mode === "") return MODES["default"] ?? ""
  return (Object.hasOwn(MODES, mode) ? MODES[mode] : undefined) ?? seenLine(mode)
}

/** `Opus 4.5 · plan first` */
export function settingsInWords({ model, mode }: { model: string; mode: string }): string {
  return [model === "" ? "usual model" : seenLine(modelName(model)), modeInWords(mode)].join(" · ")
}

/** `ada · opus · plan first` */
export function agentInWords({ name, model, mode }: AgentShown): string {
  return [name, model ?? "", mode === null ? "" : modeInWords(mode)].filter(Boolean).map(seenLine).join(" · ")
}

/** As a complete sentence: `the client died` → `The client died.` */
export function asSentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`
}

/** How a run ended; always a complete sentence. */
export function endingInWords({ state, ending }: Pick<RunShown, "state" | "ending">): string {
  return ending.trim() === "" ? stateInWords(state) : seenLine(ending)
}
