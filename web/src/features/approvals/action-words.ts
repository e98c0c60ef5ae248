/** The labels of the answers to a request. Pure. */

export interface ActionWords {
  approve: string
  /** The label after the input was changed. */
  approveChanged: string
  deny: string
  denyWith: string
  denyAndTell: string
  hint: string
  /** Whether its input can be changed as text. */
  canEdit: boolean
}

export const USUAL: ActionWords = {
  approve: "Approve",
  approveChanged: "Approve the changed input",
  deny: "Deny",
  denyWith: "Deny with a message …",
  denyAndTell: "Deny and tell the agent",
  hint: "What it should do instead, or why not",
  canEdit: true,
}

export const OF_QUESTIONS: ActionWords = {
  ...USUAL,
  approve: "Send the answers",
  approveChanged: "Send the answers",
  deny: "Do not answer",
  denyWith: "Say something else …",
  denyAndTell: "Tell the agent instead",
  hint: "What it should know or do instead",
  canEdit: false,
}

export const OF_PLANS: ActionWords = {
  ...USUAL,
  approve: "Approve the plan",
  approveChanged: "Approve the changed plan",
  deny: "Keep planning",
  denyWith: "Keep planning, because …",
  denyAndTell: "Keep planning and tell the agent",
  hint: "What is missing in the plan, or wrong with it",
}
