/** What a rule would have decided, in words. Pure. */

import type { RuleCase, RuleTest } from "@/api/schema"
import { several } from "@/blocks/text/figures"

export function summaryOf(found: RuleTest): string {
  const seen = `Of ${several(found.cases, "recorded request")} and calls, `
  if (found.allowed + found.denied + found.asked === 0) return `${seen}the rule is about none.`
  const parts = [`allowed ${figure(found.allowed)}`, `denied ${figure(found.denied)}`]
  if (found.asked > 0) parts.push(`left ${figure(found.asked)} to you`)
  return `${seen}it would have ${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}.`
}

/** The groups of cases in the order in which a person should look at them. */
export function groupsOf(cases: readonly RuleCase[]): { title: string; cases: RuleCase[] }[] {
  const agreed = cases.filter((each) => !each.is_against)
  return [
    { title: "You decided otherwise", cases: cases.filter((each) => each.is_against) },
    { title: "Would be denied", cases: agreed.filter(({ behavior }) => behavior === "deny") },
    { title: "Would be allowed, and nobody was asked", cases: agreed.filter((each) => each.behavior === "allow" && !each.was_asked) },
    { title: "Would be allowed", cases: agreed.filter((each) => each.behavior === "allow" && each.was_asked) },
    { title: "Would still be asked", cases: agreed.filter(({ behavior }) => behavior === "ask") },
  ].filter((group) => group.cases.length > 0)
}

function figure(count: number): string {
  return count.toLocaleString("en-US")
}
