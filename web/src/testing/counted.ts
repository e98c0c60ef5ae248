import type { Source } from "@/blocks/text/ansi"

/** A text that counts how often one of its characters is looked at. */
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
