/** Questions to a person, and the input that contains the answers. Pure. */

import type { ApprovalCard } from "@/api/schema"

export interface AskedQuestion {
  question: string
  header: string
  options: readonly { label: string; description: string }[]
  isMultiple: boolean
}

export interface Asked {
  questions: readonly AskedQuestion[]
  /** Whether the input contains more than the questions: then it has to be shown, too. */
  isMore: boolean
}

/** The answer to a question: labels, and own words (null if those were not chosen). */
export interface Given {
  chosen: readonly string[]
  other: string | null
}

export const NOTHING: Given = { chosen: [], other: null }

const OF_QUESTION = ["question", "header", "options", "multiSelect"]
const OF_OPTION = ["label", "description"]

/** Returns the questions of a request; null if it has none, or none that could be answered with an option. */
export function askedOf({ kind, input, hints }: Pick<ApprovalCard, "kind" | "input" | "hints">): Asked | null {
  if (kind !== "question") return null
  const fields = fieldsOf(input)
  if (fields === null || !Array.isArray(fields["questions"]) || fields["questions"].length === 0) return null
  const found = fields["questions"].map(questionOf)
  const questions = found.flatMap((each) => each?.question ?? [])
  const texts = new Set(questions.map(({ question }) => question))
  // Answers are identified by the text of their question.
  if (questions.length < found.length || texts.size < questions.length) return null
  // If a field occurs twice, only one of the two is read here.
  const isAmbiguous = hints.some(({ kind }) => kind === "ambiguous")
  return { questions, isMore: isAmbiguous || Object.keys(fields).length > 1 || found.some((each) => each?.isMore) }
}

function questionOf(value: unknown): { question: AskedQuestion; isMore: boolean } | null {
  if (!isRecord(value)) return null
  const { question, header, options, multiSelect } = value
  if (typeof question !== "string" || question === "" || !Array.isArray(options)) return null
  const choices = options.flatMap((option: unknown) => {
    if (!isRecord(option) || typeof option["label"] !== "string") return []
    return [{ label: option["label"], description: textOf(option["description"]) }]
  })
  if (choices.length < options.length) return null
  const isMore =
    Object.keys(value).some((name) => !OF_QUESTION.includes(name)) ||
    !isText(header) ||
    !(multiSelect === undefined || typeof multiSelect === "boolean") ||
    options.some(
      (option: unknown) =>
        isRecord(option) && (Object.keys(option).some((name) => !OF_OPTION.includes(name)) || !isText(option["description"])),
    )
  return { question: { question, header: textOf(header), options: choices, isMultiple: multiSelect === true }, isMore }
}

/** Returns the original input with the answers; null as long as one is missing. */
export function answeredInput(input: string, questions: readonly AskedQuestion[], given: readonly Given[]): string | null {
  const fields = fieldsOf(input)
  const answers = questions.map((question, index) => answerOf(question, given[index] ?? NOTHING))
  if (fields === null || answers.includes("")) return null
  const named = Object.fromEntries(questions.map(({ question }, index) => [question, answers[index]]))
  return JSON.stringify({ ...fields, answers: named })
}

/** Returns the labels in their original order, then the own words; empty while nothing is chosen. */
export function answerOf({ options }: AskedQuestion, { chosen, other }: Given): string {
  const labels = options.map(({ label }) => label).filter((label) => chosen.includes(label))
  return [...labels, other?.trim() ?? ""].filter((part) => part !== "").join(", ")
}

/** Returns the answer after one of the options is toggled; null toggles the own words. */
export function flipped({ isMultiple }: AskedQuestion, given: Given, label: string | null): Given {
  if (!isMultiple) return label === null ? { chosen: [], other: given.other ?? "" } : { chosen: [label], other: null }
  if (label === null) return { ...given, other: given.other === null ? "" : null }
  const isOn = given.chosen.includes(label)
  return { ...given, chosen: isOn ? given.chosen.filter((each) => each !== label) : [...given.chosen, label] }
}

export function fieldsOf(input: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(input)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Whether the value is a text or missing: a form would not show anything else. */
function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string"
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}
