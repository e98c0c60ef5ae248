import { Component, type ReactNode } from "react"

interface GuardProps {
  /** What is rendered: if it changes, rendering is tried again. */
  of?: unknown
  fallback: (error: Error, retry: () => void) => ReactNode
  children: ReactNode
}

interface GuardState {
  error: Error | null
  of: unknown
}

/** A part of a page that may fail on its own: `fallback` replaces it, and the rest of the page keeps working. */
export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { error: null, of: this.props.of }

  static getDerivedStateFromError(thrown: unknown): Partial<GuardState> {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) }
  }

  static getDerivedStateFromProps(props: GuardProps, state: GuardState): Partial<GuardState> | null {
    return props.of === state.of ? null : { error: null, of: props.of }
  }

  override render(): ReactNode {
    const { error } = this.state
    return error === null ? this.props.children : this.props.fallback(error, () => this.setState({ error: null }))
  }
}
