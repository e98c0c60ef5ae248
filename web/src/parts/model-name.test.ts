import { expect, it } from "vitest"
import { modelName, modelsInShort } from "./model-name"

it.each([
  ["claude-opus-4-5-20251101", "Opus 4.5"],
  ["claude-sonnet-4-20250514", "Sonnet 4"],
  ["claude-haiku-4-5", "Haiku 4.5"],
  ["claude-sonnet-4-5[1m]", "Sonnet 4.5"],
  ["claude-3-5-sonnet-20241022", "Sonnet 3.5"],
  ["claude-3-opus-20240229", "Opus 3"],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "Sonnet 4.5"],
  ["anthropic/claude-opus-4-5", "Opus 4.5"],
  ["gpt-9", "gpt-9"],
  ["<synthetic>", "<synthetic>"],
  ["", ""],
])("%s is %s", (model, name) => {
  expect(modelName(model)).toBe(name)
})

it("names the last model and counts the others", () => {
  expect(modelsInShort(["claude-haiku-4-5", "<synthetic>", "claude-opus-4-5"])).toEqual({ name: "Opus 4.5", more: 1 })
  expect(modelsInShort(["<synthetic>"])).toBeNull()
})
