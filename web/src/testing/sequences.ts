/** What a command may print: terminal sequences of all kinds, whole and broken, made by rule. */

import { chance, distinct, type Chance } from "./chance"

const STRINGS = ["\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_"] as const
const STRING_BODIES = ["0;title", "2;title", "8;;javascript:alert(1)", "8;id=1;https://evil.example", "52;c;aGk=", "4;1;rgb:1/2/3", "1337;File=:x", "q#0", "+q54", ""] as const
const ENDS = ["\x07", "\x1b\\", "\x9c"] as const
const FINALS = "@ABCDEFGHIJKLMPSTXZ`abcdfghilnpqrstux"
const SINGLES = ["\x1b7", "\x1b8", "\x1bc", "\x1b=", "\x1bM", "\x1b(B", "\x1b%G", "\x1b#8", "\x1b c"] as const
const WORDS = ["text", "<b>", "&amp;", "\n", "\r", "\r\n", "日本", "👩‍💻", "\t", "rm -rf", "\u202e", "\x00", "\x08", "\x7f", "\x85", "\u2028", "\ud800"] as const
const BROKEN = ["\x1b", "\x1b[", "\x1b[31", "\x1b[;;;", "\x1b]0;never", "\x1bP", "\x9b", "\x9b38;5", "\x1b[38;2;1", "\x1b\x1b", "\x1b[\x1b[1m", "\x9d", "\x90", "\x98", "\x9e", "\x9f", "\x1b]8;;x\n"] as const

export interface Printed {
  text: string
  /** What must not be seen of it: the inside of sequences that are whole. */
  hidden: readonly string[]
  /** What must be. */
  words: readonly string[]
}

/** So many different texts. */
export function printed(count: number, seed = 6): Printed[] {
  const from = chance(seed)
  const made = new Map<string, Printed>()
  distinct(count, (at) => {
    const each = print(from, at)
    made.set(each.text, each)
    return each.text
  })
  return [...made.values()]
}

function print(from: Chance, at: number): Printed {
  const [hidden, words]: [string[], string[]] = [[], []]
  let text = ""
  const parts = 1 + from.number(6)
  for (let part = 0; part < parts; part += 1) {
    const kind = from.number(7)
    if (kind === 0) text += `${control(from)}${parameters(from)}m`
    else if (kind === 1) text += `${control(from)}${from.pick(["", "?", ">", "="])}${parameters(from)}${from.pick(["", " ", "!", "$"])}${FINALS[from.number(FINALS.length)] ?? "A"}`
    else if (kind === 2) {
      const inside = `h${at}x${part}h`
      hidden.push(inside)
      text += from.pick(STRINGS) + from.pick(STRING_BODIES) + inside + from.pick(ENDS)
    } else if (kind === 3) text += from.pick(SINGLES)
    else if (kind === 4) text += from.pick(WORDS)
    // What is broken goes on to the end of its line: the next part is a line of its own.
    else if (kind === 5) text += `${from.pick(BROKEN)}\n`
    else {
      const word = `w${at}x${part}w`
      words.push(word)
      text += `\u00b7${word}`
    }
  }
  return { text, hidden, words }
}

function control(from: Chance): string {
  return from.pick(["\x1b[", "\x1b[", "\x9b"])
}

function parameters(from: Chance): string {
  return Array.from({ length: from.number(6) }, () => from.pick(["", "0", "1", "7", "8", "31", "38", "48", "2", "5", "196", "255", "999999999", "4:3"])).join(from.pick([";", ";", ":"]))
}
