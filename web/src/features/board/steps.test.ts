import { expect, test } from "vitest"
import { stepFrom } from "./steps"

const COLUMNS = [["a", "b"], [], ["c", "d", "e"], ["f"]]

test("keys lead through the columns of the board, and never out of it", () => {
  expect(stepFrom(COLUMNS, null, "next")).toBe("a")
  expect(stepFrom(COLUMNS, "gone", "left")).toBe("a")
  expect(stepFrom(COLUMNS, "a", "next")).toBe("b")
  expect(stepFrom(COLUMNS, "b", "next")).toBe("c")
  expect(stepFrom(COLUMNS, "c", "previous")).toBe("b")
  expect(stepFrom(COLUMNS, "a", "previous")).toBeNull()
  expect(stepFrom(COLUMNS, "f", "next")).toBeNull()
  expect(stepFrom([], null, "next")).toBeNull()
})

test("left and right keep the height where they can, and skip empty columns", () => {
  expect(stepFrom(COLUMNS, "b", "right")).toBe("d")
  expect(stepFrom(COLUMNS, "e", "right")).toBe("f")
  expect(stepFrom(COLUMNS, "e", "left")).toBe("b")
  expect(stepFrom(COLUMNS, "a", "left")).toBeNull()
  expect(stepFrom(COLUMNS, "f", "right")).toBeNull()
})
