import { Component, type ReactNode } from "react"

/** A block that cannot be drawn is said to be so, and the rest of the conversation stays. */
export class BlockGuard extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return <p className="note">This part cannot be drawn. Its raw record has it.</p>
  }
}
