import { expect, it } from "vitest"
import type { RuleCase, RuleTest } from "@/api/schema"
import { groupsOf, summaryOf } from "./in-words"

const NONE: RuleTest = {
  id: "0",
  text: "",
  cases: 1234,
  allowed: 0,
  denied: 0,
  asked: 0,
  against_people: 0,
  unasked: 0,
  saved: 0,
  questions: 0,
  shown: [],
  more: 0,
}

function ruleCase(given: Partial<RuleCase>): RuleCase {
  return { title: "Bash ls", behavior: "allow", decided: null, was_asked: true, is_against: false, why: "", times: 1, conversation: null, ...given }
}

it("says what the rule would have decided", () => {
  expect(summaryOf(NONE)).toBe("Of 1,234 recorded requests and calls, the rule is about none.")
  expect(summaryOf({ ...NONE, allowed: 412, denied: 3 })).toBe("Of 1,234 recorded requests and calls, it would have allowed 412 and denied 3.")
  expect(summaryOf({ ...NONE, allowed: 412, asked: 2 })).toContain("allowed 412, denied 0 and left 2 to you.")
})

it("shows first what people decided otherwise", () => {
  const cases = [ruleCase({ behavior: "ask" }), ruleCase({}), ruleCase({ was_asked: false }), ruleCase({ is_against: true }), ruleCase({ behavior: "deny" })]
  expect(groupsOf(cases).map(({ title }) => title)).toEqual([
    "You decided otherwise",
    "Would be denied",
    "Would be allowed, and nobody was asked",
    "Would be allowed",
    "Would still be asked",
  ])
  expect(groupsOf([])).toEqual([])
})
