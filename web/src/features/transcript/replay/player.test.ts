import { expect, test } from "vitest"
import { momentId, recordingOf } from "@/testing/recordings"
import { Player } from "./player"

const MADE = [
  { atMs: 0, steps: ["row" as const, "prompt" as const], status: "thinking" },
  { atMs: 1000, steps: ["row" as const] },
  { atMs: 61_000, steps: ["row" as const, "error" as const] },
  { atMs: 62_000, steps: ["row" as const, "prompt" as const], status: "done" },
]

async function opened(recording: ReturnType<typeof recordingOf>, at: string | null = null): Promise<Player> {
  const player = new Player(recording)
  await player.open(at)
  await expect.poll(() => player.state().moments?.isComplete).toBe(true)
  return player
}

test("it opens at the end, and follows it", async () => {
  const player = await opened(recordingOf(MADE))
  expect(player.state()).toMatchObject({ phase: "following", id: null, number: 3, clockMs: 62_000 })
})

test("it opens at the moment of the address", async () => {
  const player = await opened(recordingOf(MADE), momentId(1))
  expect(player.state()).toMatchObject({ phase: "paused", id: momentId(1), number: 1, clockMs: 1000 })
})

test("it plays from the beginning, with long pauses shortened, and ends at the end", async () => {
  const player = await opened(recordingOf(MADE))
  player.toggle(false)
  await expect.poll(() => player.state().phase).toBe("playing")
  expect(player.state().number).toBe(0)
  player.tick(1000)
  expect(player.state()).toMatchObject({ number: 1, clockMs: 1000 })
  player.tick(1000)
  expect(player.state()).toMatchObject({ number: 1, clockMs: 31_000 })
  player.setSpeed(2)
  player.tick(500)
  expect(player.state()).toMatchObject({ number: 2, clockMs: 61_000 })
  player.tick(5000)
  expect(player.state()).toMatchObject({ phase: "following", number: 3 })
})

test("pauses can be played as they were", async () => {
  const player = await opened(recordingOf(MADE), momentId(1))
  player.setIdle(null)
  player.toggle(false)
  player.tick(1000)
  expect(player.state()).toMatchObject({ number: 1, clockMs: 2000 })
})

test("steps go to moments of a kind, and say if there is none", async () => {
  const player = await opened(recordingOf(MADE), momentId(0))
  await player.step("error", false)
  expect(player.state().number).toBe(2)
  await player.step("prompt", false)
  expect(player.state().number).toBe(3)
  await player.step("error", false)
  expect(player.state()).toMatchObject({ number: 3, message: "No error after this." })
  await player.step("row", true)
  expect(player.state()).toMatchObject({ number: 2, message: null })
})

test("it seeks by time, by played time and by share", async () => {
  const player = await opened(recordingOf(MADE))
  await player.seek(1500)
  expect(player.state()).toMatchObject({ phase: "paused", number: 1, clockMs: 1500 })
  await player.seekBy(2000)
  expect(player.state().number).toBe(2)
  await player.seekShare(0)
  expect(player.state().number).toBe(0)
  await player.seekBy(-5000)
  expect(player.state().number).toBe(0)
})

test("a moment that is not there is said, and the position stays", async () => {
  const player = await opened(recordingOf(MADE), momentId(2))
  await player.goTo("")
  expect(player.state()).toMatchObject({ number: 2, message: "There is no such moment." })
})

test("a live conversation is paused, gone back in, and followed again", async () => {
  const recording = recordingOf(MADE)
  const player = await opened(recording)
  player.toggle(true)
  await expect.poll(() => player.state().phase).toBe("paused")
  recording.add({ atMs: 70_000 })
  await player.refresh()
  expect(player.state()).toMatchObject({ id: momentId(3), number: 3 })
  expect(player.state().moments?.count).toBe(5)
  await player.step("row", true)
  expect(player.state().number).toBe(2)
  player.follow()
  expect(player.state()).toMatchObject({ phase: "following", id: null, number: 4 })
  recording.add({ atMs: 71_000 })
  await player.refresh()
  expect(player.state()).toMatchObject({ number: 5, clockMs: 71_000 })
})

test("of a very long conversation only what is needed is loaded", async () => {
  const many = Array.from({ length: 200 }, (_, index) => ({ atMs: index * 100, steps: index % 150 === 0 ? ["prompt" as const] : [] }))
  const recording = recordingOf(many, 2)
  const player = new Player(recording)
  await player.open(momentId(10))
  await player.step("prompt", false)
  expect(player.state().number).toBe(150)
  expect(player.state().moments?.isComplete).toBe(false)
  expect(recording.asked.length).toBeLessThan(5)
})

test("a conversation without moments plays nothing and fails nowhere", async () => {
  const player = new Player(recordingOf([]))
  await player.open(null)
  player.toggle(false)
  player.tick(1000)
  await player.seekShare(0.5)
  await player.step("row", false)
  expect(player.state()).toMatchObject({ phase: "following", id: null, number: -1 })
})

test("a conversation without moments says so, and asks for none", async () => {
  const player = new Player(recordingOf([]))
  await player.open(null)
  expect(player.state().message).toBe("Nothing in this conversation can be played.")
})
