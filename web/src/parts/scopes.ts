/** What a paired device may do, in words. Pure. */

import type { PairedDeviceShown } from "@/api/schema"

export type AccessScope = PairedDeviceShown["scope"]

interface ScopeWords {
  value: AccessScope
  /** After "may". */
  rights: string
  label: string
  meaning: string
}

/** Each scope includes the ones before it. */
export const SCOPES: readonly ScopeWords[] = [
  { value: "read", rights: "read", label: "Only read", meaning: "It sees everything that this page shows, and can be notified." },
  {
    value: "steer",
    rights: "read and steer agents",
    label: "Read and steer",
    meaning: "It can also start agents, write to them, interrupt and stop them, and rename conversations.",
  },
  {
    value: "approve",
    rights: "read, steer agents and answer requests",
    label: "Read, steer and answer",
    meaning: "It can also deny requests of agents. It can allow them after an approver has admitted it under Approvals.",
  },
]

export function isScope(text: string | null): text is AccessScope {
  return SCOPES.some(({ value }) => value === text)
}

/** `read and steer agents` */
export function rightsOf(scope: AccessScope): string {
  return SCOPES.find(({ value }) => value === scope)?.rights ?? ""
}

/** `123 456`: easier to compare than six digits in a row. */
export function codeInGroups(code: string): string {
  return `${code.slice(0, 3)} ${code.slice(3)}`
}

/** `1:05` */
export function clockOf(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds))
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`
}
