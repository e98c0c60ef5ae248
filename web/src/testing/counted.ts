import type { Source } from "@/blocks/text/ansi"

/** A text that counts how often its characters are read. */
export class Counted implements Source {
  steps = 0
  constructor(private readonly text: string) {}
  get length(): number {
    return this.text.length
  }
  charCodeAt(index: number): number {
    this.steps += 1
    return this.text.charCodeAt(index)
  }
  slice(start: number, end: number): string {
    return this.text.slice(start, end)
  }
}
