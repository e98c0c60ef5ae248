/** Why nobody can approve a request now. Pure. */

interface State {
  /** Whether the agent was started before there was an approver that it trusts. */
  isForNobody: boolean
  isOverdue: boolean
  /** Whether a changed input cannot be sent as it is. */
  isFaulty: boolean
  /** Whether a question has no answer yet. */
  isUnanswered: boolean
  isWhole: boolean
  isEndSeen: boolean
}

export function obstacleOf({ isForNobody, isOverdue, isFaulty, isUnanswered, isWhole, isEndSeen }: State): string | null {
  if (isForNobody) return "Nobody can approve it."
  if (isOverdue) return "Its time is over."
  if (isFaulty) return "The changed input cannot be sent as it is."
  if (isUnanswered) return "Answer each question to send the answers."
  if (!isWhole) return "Not all of it is shown: show the rest to approve it."
  return isEndSeen ? null : "Read to the end to approve it."
}
