import { expect, test } from "vitest"
import { EMPTY_PANEL, momentId, recordingOf } from "@/testing/recordings"
import { changed, Moments } from "./moments"

async function loaded(recording: ReturnType<typeof recordingOf>, ...firsts: number[]): Promise<Moments> {
  const moments = new Moments(await recording.timeline())
  for (const first of firsts) moments.put(await recording.moments(first))
  return moments
}

const FIVE = [0, 100, 200, 300, 400].map((atMs) => ({ atMs }))

test("the moment at a time is the last one that is not later", async () => {
  const moments = await loaded(recordingOf(FIVE, 2), 0, 2, 4)
  expect([-5, 0, 99, 100, 250, 400, 9999].map((ms) => moments.numberAt(ms))).toEqual([0, 0, 0, 1, 2, 4, 4])
  expect(moments.isComplete).toBe(true)
})

test("a time whose chunk is not loaded has no moment yet", async () => {
  const moments = await loaded(recordingOf(FIVE, 2), 0)
  expect(moments.numberAt(50)).toBe(0)
  expect(moments.numberAt(250)).toBeNull()
  expect(moments.missing()).toBe(2)
})

test("an id between two moments means the earlier one", async () => {
  const moments = await loaded(recordingOf(FIVE, 2), 0, 2, 4)
  expect(moments.numberOf(momentId(3))).toBe(3)
  expect(moments.numberOf(`${momentId(3)}5`)).toBe(3)
  expect(moments.numberOf("0")).toBe(0)
  expect(moments.numberOf("3")).toBe(4)
})

test("a step is found across chunks, and says if it may be in one that is not loaded", async () => {
  const made = FIVE.map((each, index) => ({ ...each, steps: index === 4 ? ["error" as const] : ["row" as const] }))
  const recording = recordingOf(made, 2)
  const part = await loaded(recording, 0)
  const whole = await loaded(recording, 0, 2, 4)
  expect(part.step(0, "error", false)).toBeUndefined()
  expect(whole.step(0, "error", false)).toBe(4)
  expect(whole.step(4, "error", false)).toBeNull()
  expect(whole.step(3, "row", true)).toBe(2)
})

test("the state at a moment does not depend on the way to it", async () => {
  const made = FIVE.map((each, index) => ({ ...each, status: `s${index}` }))
  const moments = await loaded(recordingOf(made, 3), 0, 3)
  const statuses = (numbers: number[]) => numbers.map((number) => moments.panel(number)?.work.status)
  expect(statuses([0, 1, 2, 3, 4])).toEqual(["s0", "s1", "s2", "s3", "s4"])
  expect(statuses([4, 0, 3, 1, 2])).toEqual(["s4", "s0", "s3", "s1", "s2"])
  expect(moments.panel(2)).toBe(moments.panel(2))
})

test("a change replaces its groups, and a file with no version goes", () => {
  const file = (path: string, versions: number) => ({ path, versions, call: "c", time: null })
  const none = { spent: null, work: null, todos: null, todos_left_out: 0, calls: null, agents: null, waits: null, moment: 0 }
  const first = changed(EMPTY_PANEL, { ...none, files: [file("b", 1), file("a", 2)] })
  expect(first.files.map((each) => each.path)).toEqual(["a", "b"])
  expect(changed(first, { ...none, files: [file("a", 0), file("c", 1)] }).files.map((each) => each.path)).toEqual(["b", "c"])
  expect(changed(first, { ...none, files: null })).toEqual(first)
})

test("a conversation that grew keeps its chunks, and one with other moments does not", async () => {
  const recording = recordingOf(FIVE, 2)
  const before = await loaded(recording, 0, 2, 4)
  recording.add({ atMs: 500 })
  const last = await recording.moments(4)
  const grown = before.continued(await recording.timeline(), last)
  expect([grown.count, grown.isComplete, grown.atMs(5)]).toEqual([6, true, 500])
  const other = before.continued(await recording.timeline(), { ...last, ids: ["other", ...last.ids] })
  expect([other.has(0), other.has(4)]).toEqual([false, true])
})
