/** What the reader wants to see of a conversation, in all of its threads. */
export interface Showing {
  isInternal: boolean
  isWrapped: boolean
  isOutline: boolean
  isPanel: boolean
  /** Whether the player is open. */
  isReplay: boolean
  /** Whether the state at the moment of the player is shown. */
  isState: boolean
}

export type PutShowing = (change: Partial<Showing>) => void
