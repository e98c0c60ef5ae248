import { describe, expect, it } from "vitest"
import type { ExportedFile } from "@/api/schema"
import { exportedReplay } from "./replay"

const ids = Array.from({ length: 5 }, (_, number) => `2026-01-01T00:00:0${number}.000Z!0!session!00000000000${number}`)
const FILE: Pick<ExportedFile, "timeline" | "moments"> = JSON.parse(
  JSON.stringify({
    timeline: { version: "1", chunk: 3, moments: 5 },
    moments: [
      { version: "1", first: 0, ids: ids.slice(0, 3), at_ms: [0, 1000, 2000], steps: [9, 1, 16], panel: {}, changes: [], growths: [] },
      { version: "1", first: 3, ids: ids.slice(3), at_ms: [3000, 4000], steps: [0, 8], panel: {}, changes: [], growths: [] },
    ],
  }),
)
const replay = exportedReplay(FILE)

describe("the replay of an exported file", () => {
  it("gives the chunk that contains a moment", async () => {
    expect((await replay.replayMoments("x", 4)).first).toBe(3)
    expect((await replay.replayMoments("x", 2)).first).toBe(0)
    await expect(replay.replayMoments("x", 9)).rejects.toMatchObject({ kind: "no_moment" })
  })

  it("finds the moment of an id and of a time", async () => {
    expect((await replay.replayState("x", ids[3] ?? "")).moment.number).toBe(3)
    expect((await replay.replayState("x", "2026-01-01T00:00:01")).moment.number).toBe(1)
    await expect(replay.replayState("x", "2025")).rejects.toMatchObject({ kind: "no_moment" })
  })

  it("steps to the next and the previous moment of a kind", async () => {
    expect((await replay.replayStep("x", ids[0] ?? "", "prompt", false)).number).toBe(4)
    expect((await replay.replayStep("x", ids[4] ?? "", "edit", true)).number).toBe(2)
    await expect(replay.replayStep("x", ids[4] ?? "", "prompt", false)).rejects.toMatchObject({ kind: "no_moment" })
  })
})
