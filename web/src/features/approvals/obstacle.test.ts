import { expect, it } from "vitest"
import { obstacleOf } from "./obstacle"

const FREE = { isForNobody: false, isOverdue: false, isFaulty: false, isUnanswered: false, isWhole: true, isEndSeen: true }

it("is none where all was seen and somebody would be believed", () => {
  expect(obstacleOf(FREE)).toBeNull()
})

it("is, before all else, that the agent would believe nobody", () => {
  expect(obstacleOf({ ...FREE, isForNobody: true, isOverdue: true, isEndSeen: false })).toBe("Nobody can approve it.")
})
