import { expect, test } from "vitest"
import { approvalCard } from "@/testing/approvals"
import { answeredInput, askedOf, flipped, NOTHING } from "./questions"

const COLOUR = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: [
    { label: "Red", description: "r" },
    { label: "Blue", description: "b" },
  ],
}
const DAYS = { ...COLOUR, question: "Which days?", multiSelect: true }
const request = (input: unknown) => approvalCard("a", { kind: "question", input: JSON.stringify(input) })

test("questions that can be answered by choosing become a form; anything else stays a request like others", () => {
  expect(askedOf(request({ questions: [COLOUR, DAYS] }))).toEqual({
    questions: [
      { question: "Which colour?", header: "Colour", options: COLOUR.options, isMultiple: false },
      { question: "Which days?", header: "Colour", options: COLOUR.options, isMultiple: true },
    ],
    isMore: false,
  })
  expect(askedOf({ ...request({ questions: [COLOUR] }), kind: "command" })).toBeNull()
  for (const wrong of [{}, { questions: [] }, { questions: "x" }, { questions: [{ question: "" }] }, []]) {
    expect(askedOf(request(wrong))).toBeNull()
  }
  expect(askedOf(request({ questions: [{ ...COLOUR, options: [{ description: "no label" }] }] }))).toBeNull()
  expect(askedOf(request({ questions: [COLOUR, COLOUR] }))).toBeNull()
  expect(askedOf({ ...request({}), input: "{" })).toBeNull()
})

test("what the questions do not show is told", () => {
  expect(askedOf(request({ questions: [COLOUR], metadata: 1 }))?.isMore).toBe(true)
  expect(askedOf(request({ questions: [{ ...COLOUR, extra: 1 }] }))?.isMore).toBe(true)
  expect(askedOf(request({ questions: [{ ...COLOUR, options: [{ label: "a", preview: "x" }] }] }))?.isMore).toBe(true)
  const hints = [{ kind: "ambiguous", words: "named twice" }]
  expect(askedOf({ ...request({ questions: [COLOUR] }), hints })?.isMore).toBe(true)
  for (const wrong of [null, 7, ["x"], { x: 1 }]) {
    for (const odd of [{ header: wrong }, { multiSelect: wrong }, { options: [{ label: "a", description: wrong }] }]) {
      expect(askedOf(request({ questions: [{ ...COLOUR, ...odd }] }))?.isMore).toBe(true)
    }
  }
})

test("the answers go by the words of the questions, beside all that was asked", () => {
  const asked = { questions: [COLOUR, DAYS], metadata: { a: 1 } }
  const questions = askedOf(request(asked))?.questions ?? []
  const given = [
    { chosen: ["Blue"], other: null },
    { chosen: ["Blue", "Red"], other: " Sunday " },
  ]
  expect(JSON.parse(answeredInput(JSON.stringify(asked), questions, given) ?? "")).toEqual({
    ...asked,
    answers: { "Which colour?": "Blue", "Which days?": "Red, Blue, Sunday" },
  })
})

test("nothing is answered before everything is", () => {
  const [colour] = askedOf(request({ questions: [COLOUR] }))?.questions ?? []
  if (colour === undefined) throw new Error("it is a question")
  const input = JSON.stringify({ questions: [COLOUR] })
  expect(answeredInput(input, [colour], [])).toBeNull()
  expect(answeredInput(input, [colour], [{ chosen: [], other: "  " }])).toBeNull()
  expect(answeredInput(input, [colour], [{ chosen: ["Green"], other: null }])).toBeNull()
})

test("one of several, or several of them", () => {
  const [colour, days] = askedOf(request({ questions: [COLOUR, DAYS] }))?.questions ?? []
  if (colour === undefined || days === undefined) throw new Error("they are questions")
  expect(flipped(colour, { chosen: ["Red"], other: null }, "Blue")).toEqual({ chosen: ["Blue"], other: null })
  expect(flipped(colour, { chosen: ["Red"], other: null }, null)).toEqual({ chosen: [], other: "" })
  expect(flipped(days, flipped(days, NOTHING, "Red"), "Blue").chosen).toEqual(["Red", "Blue"])
  expect(flipped(days, { chosen: ["Red"], other: "x" }, "Red")).toEqual({ chosen: [], other: "x" })
  expect(flipped(days, { chosen: [], other: "x" }, null)).toEqual({ chosen: [], other: null })
})
