import { expect, test } from "vitest"
import type { Place } from "@/api/schema"
import { agentOf, askedOf, modesFor, placeOf, placesNamed } from "./choices"

const place = (folder: string, given: Partial<Place> = {}): Place => ({ id: folder, folder, agents: [], is_named: false, ...given })
const ADA = { name: "ada", model: "opus", mode: "plan" }
const MESSAGE = { text: "Go.", pictures: [], is_later: false }

test("named workspaces come first, and no two places look alike", () => {
  const groups = placesNamed([
    place("/home/ada/shop/web", { is_named: true }),
    place("/srv/shop/web"),
    place("/home/ada/tide\u202e"),
  ])
  expect(groups.map(({ title }) => title)).toEqual(["Workspaces", "Worked in before"])
  expect(groups.map(({ places }) => places.map(({ name }) => name))).toEqual([
    ["/home/ada/shop/web"],
    ["/srv/shop/web", "ada/tide\\u{202e}"],
  ])
})

test("the first wish that is there is the place, else the first of all", () => {
  const all = [place("/a"), place("/b")]
  expect(placeOf(all, null, "/gone", "/b")?.id).toBe("/b")
  expect(placeOf(all, "/gone")?.id).toBe("/a")
  expect(placeOf([], "/a")).toBeNull()
})

const ALL = ["default", "plan", "acceptEdits", "auto", "dontAsk"]

test("a device chooses from the modes that it may choose, and can keep what was set up", () => {
  const narrow = ["default", "plan", "dontAsk"]
  expect(modesFor(null, narrow).map(({ value }) => value)).toEqual(["usual", "plan", "dontAsk"])
  expect(modesFor({ ...ADA, mode: "auto" }, narrow).map(({ value }) => value)).toEqual(["usual", "default", "plan", "dontAsk"])
})

test("an agent's own mode can be kept, or narrowed", () => {
  expect(modesFor(null, ALL).map(({ value }) => value)).toEqual(["usual", "plan", "acceptEdits", "auto", "dontAsk"])
  expect(modesFor(ADA, ALL).map(({ label }) => label)).toEqual(["As set up: plan first", "Ask first", "Accept edits", "Auto", "Don’t ask"])
  expect(modesFor({ ...ADA, mode: "acceptEdits" }, ALL).map(({ value }) => value)).toEqual(["usual", "default", "plan", "auto", "dontAsk"])
  expect(modesFor({ ...ADA, mode: "bypassPermissions" }, ALL).some(({ value }) => String(value) === "bypassPermissions")).toBe(false)
  expect(modesFor(null, ALL).every(({ hint }) => hint !== "")).toBe(true)
  expect(agentOf(place("/a", { agents: [ADA] }), "ada")).toBe(ADA)
  expect(agentOf(place("/a"), "ada")).toBeNull()
})

test("what was not chosen is not asked for", () => {
  expect(askedOf({ place: "p", agent: "", model: " ", mode: "usual" }, MESSAGE)).toEqual({
    place: "p",
    message: MESSAGE,
    agent: null,
    model: null,
    mode: null,
  })
  expect(askedOf({ place: "p", agent: "ada", model: " opus ", mode: "plan" }, MESSAGE)).toMatchObject({
    agent: "ada",
    model: "opus",
    mode: "plan",
  })
})
