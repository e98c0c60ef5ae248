import { Search } from "lucide-react"
import { expect, it } from "vitest"
import { summary } from "@/testing/summaries"
import { askedOf, type Choice, choicesFor } from "./choices"
import { score } from "./score"

const run = () => {}
const actions = [
  { id: "search", title: "Search", icon: Search, run },
  { id: "dark", title: "Theme: dark", words: "night colour", icon: Search, run },
]
const conversations = [
  summary("a", { title: "Deploy the shop" }),
  summary("b", { title: "Fix the login", workspace_name: "deploy" }),
  summary("c", { title: "Café menu" }),
]
const named = (choice: Choice) =>
  choice.kind === "conversation" || choice.kind === "said" ? choice.conversation.id : choice.kind === "action" ? choice.action.id : `?${choice.text}`

it("offers conversations and pages before anything is typed", () => {
  expect(choicesFor("", actions, conversations).map(named)).toEqual(["a", "b", "c", "search", "dark"])
})

it("finds by title before place, without accents, and by other words; and offers to search", () => {
  expect(choicesFor("depl", actions, conversations).map(named)).toEqual(["a", "b", "?depl"])
  expect(choicesFor("cafe", actions, conversations).map(named)).toEqual(["c", "?cafe"])
  expect(choicesFor("night", actions, conversations).map(named)).toEqual(["dark", "?night"])
})

it("wants every word somewhere, and likes beginnings", () => {
  expect(score("Fix the login", "login fix")).toBeGreaterThan(0)
  expect(score("Fix the login", "login foo")).toBe(0)
  expect(score("login page", "log")).toBeGreaterThan(score("catalog", "log"))
})

it("adds what the server found after what is at hand, each once", () => {
  const further = [conversations[0], summary("z", { title: "Shop windows" })].filter((each) => each !== undefined)
  expect(choicesFor("depl", actions, conversations, further).map(named)).toEqual(["a", "b", "z", "?depl"])
})

it("asks the server for beginnings of words, once there is something to ask", () => {
  expect(askedOf(" d ")).toBe(null)
  expect(askedOf("dep")).toBe("dep*")
  expect(askedOf('"Deploy OR (the')).toBe("deploy or the*")
  expect(askedOf("cost>1")).toBe("cost 1*")
})
