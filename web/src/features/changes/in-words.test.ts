import { expect, test } from "vitest"
import type { EditedFile, EditedTurn, EditShown, UndoFile } from "@/api/schema"
import { editsByFile, filesInWords, isOffered, outcomeInWords, sums, turnInWords } from "./in-words"

const file = (path: string, added: number | null = 1, removed: number | null = 0): EditedFile => ({ key: path, path, change: "changed", added, removed })
const edit = (commit: string, ...files: EditedFile[]): EditShown => ({
  commit, kind: "call", call: commit, tool: "Edit", agent: "", model: "", title: "", feed: "control", time: null, others: 0, files, more: 0, skipped: [],
})
const turn = (number: number, ...edits: EditShown[]): EditedTurn => ({ turn: number, is_undo: false, prompt: "", prompt_at: "", edits })
const undone = (outcome: UndoFile["outcome"], reason = ""): UndoFile => ({ key: "a", path: "a", outcome, reason, diff: null })

test("the same changes are ordered by file, each file with its edits in order", () => {
  const turns = [turn(1, edit("1", file("b"), file("a"))), turn(2, edit("2", file("b")))]
  expect(editsByFile(turns).map((each) => `${each.path}: ${each.edits.map((one) => one.edit.commit).join(" ")}`)).toEqual(["a: 1", "b: 1 2"])
})

test("a file counts once, and files that are no text have no lines", () => {
  expect(filesInWords([edit("1", file("a")), edit("2", file("a"), file("b"))])).toBe("2 files")
  expect(sums([file("a", 2, 1), file("b", null, null)])).toEqual({ added: 2, removed: 1 })
})

test("a turn without a number says so", () => {
  expect(turnInWords(turn(3))).toBe("Turn 3")
  expect(turnInWords(turn(0))).toBe("Turn not known")
})

test("a conflict names its reason and is not offered", () => {
  expect(outcomeInWords(undone("conflict", "it is behind a link"), false)).toBe("stays as it is: it is behind a link")
  expect([undone("conflict"), undone("nothing"), undone("merged"), undone("deleted"), undone("restored")].map(isOffered)).toEqual([
    false, false, true, true, true,
  ])
})
