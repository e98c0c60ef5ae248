import type { Span } from "./spans"

/**
 * Collects the output of the highlighter as spans instead of HTML: untrusted text never becomes markup.
 *
 * Each text has the innermost scope that contains it.
 */
export class SpanEmitter {
  readonly spans: Span[] = []
  readonly #scopes: string[] = []

  addText(text: string): void {
    if (!text) return
    const scope = this.#scopes[this.#scopes.length - 1] ?? ""
    const last = this.spans[this.spans.length - 1]
    if (last && last.scope === scope) last.text += text
    else this.spans.push({ text, scope })
  }

  startScope(scope: string): void {
    this.#scopes.push(scope)
  }

  endScope(): void {
    this.#scopes.pop()
  }

  openNode(scope: string): void {
    this.startScope(scope)
  }

  closeNode(): void {
    this.endScope()
  }

  /** Adds the spans of another language inside this one. */
  __addSublanguage(other: SpanEmitter): void {
    for (const span of other.spans) this.spans.push({ ...span })
  }

  finalize(): void {}

  closeAllNodes(): void {}

  toHTML(): string {
    return ""
  }
}
