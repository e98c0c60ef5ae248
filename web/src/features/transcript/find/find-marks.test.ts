import { expect, it } from "vitest"
import { rangesOf } from "./find-marks"

it("finds words in any text below an element, whatever their case", () => {
  const root = document.createElement("div")
  const [first, second] = [document.createElement("p"), document.createElement("code")]
  first.textContent = "Foo and foo"
  second.textContent = "no such word, but FOO"
  root.append(first, second)
  expect(rangesOf(root, ["foo"]).map((range) => range.toString())).toEqual(["Foo", "foo", "FOO"])
  expect(rangesOf(root, [])).toEqual([])
  expect(rangesOf(root, ["and foo"]).map((range) => range.toString())).toEqual(["and foo"])
})
