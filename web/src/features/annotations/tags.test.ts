import { expect, it } from "vitest"
import { tagsIn } from "./tags"

it("takes words for tags, each once", () => {
  expect(tagsIn("  release, #bug  release\nnight")).toEqual(["release", "bug", "night"])
  expect(tagsIn(" , # ")).toEqual([])
})
