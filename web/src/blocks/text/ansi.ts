/**
 * The output of a command, in colours: SGR sequences become styles, all other sequences are removed.
 *
 * One pass without backtracking, because the text is untrusted. Concealed text is shown, and a control string that
 * never ends is shown as text, so that nothing can be hidden in one.
 */

/** The input: a string, or an object that counts how often it is read. */
export interface Source {
  readonly length: number
  charCodeAt(index: number): number
  slice(start: number, end: number): string
}

/** A colour: one of the sixteen names by number, or red, green and blue. */
export type Colour = { named: number } | { rgb: readonly [number, number, number] }

export interface Style {
  fg: Colour | null
  bg: Colour | null
  isBold: boolean
  isDim: boolean
  isItalic: boolean
  isUnderlined: boolean
  isStruck: boolean
  isInverse: boolean
}

export interface Run {
  text: string
  /** null for plain text. */
  style: Style | null
}

const ESC = 0x1b
const BEL = 0x07
const NEWLINE = 0x0a
const RETURN = 0x0d
const CSI = 0x9b
const STRING_END = 0x9c
const MAX_PARAMETERS = 32
const MOST = 9999

const PLAIN: Style = {
  fg: null,
  bg: null,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
  isInverse: false,
}

/**
 * Returns the text as runs of one style each. A carriage return that overwrites its line starts a new line, so that
 * everything is visible.
 */
export function ansiRuns(source: Source): Run[] {
  const runs: Run[] = []
  let style: Style = PLAIN
  let from = 0
  let at = 0

  const flush = (end: number): void => {
    if (end > from) push(runs, source.slice(from, end), style)
  }

  while (at < source.length) {
    const code = source.charCodeAt(at)
    if (code === RETURN) {
      flush(at)
      // A carriage return before a line feed is part of the line end.
      if (source.charCodeAt(at + 1) !== NEWLINE) push(runs, "\n", style)
      at += 1
      from = at
    } else if (code === ESC || code === CSI) {
      const sequence = read(source, at)
      if (sequence === null) {
        at += 1
        continue
      }
      flush(at)
      if (sequence.parameters) style = rendered(style, sequence.parameters)
      if (sequence.isUnfinished) push(runs, source.slice(at, sequence.end), style)
      at = sequence.end
      from = at
    } else {
      at += 1
    }
  }
  flush(source.length)
  return runs
}

/** Runs line by line. */
export function ansiLines(text: string): Run[][] {
  if (!["\x1b", "\x9b", "\r"].some((code) => text.includes(code)))
    return text.split("\n").map((line) => (line ? [{ text: line, style: null }] : []))
  const lines: Run[][] = [[]]
  for (const run of ansiRuns(text)) {
    const pieces = run.text.split("\n")
    pieces.forEach((piece, index) => {
      if (index > 0) lines.push([])
      if (piece) lines[lines.length - 1]?.push({ text: piece, style: run.style })
    })
  }
  return lines
}

/** Returns the text without sequences. */
export function withoutAnsi(text: string): string {
  return ansiRuns(text)
    .map((run) => run.text)
    .join("")
}

interface Sequence {
  end: number
  parameters: number[] | null
  /** A control string without an end: its text is shown. */
  isUnfinished: boolean
}

/** Returns the sequence that begins at `at`; null if there is none. */
function read(source: Source, at: number): Sequence | null {
  if (source.charCodeAt(at) === CSI) return control(source, at + 1)
  const next = source.charCodeAt(at + 1)
  if (next === 0x5b) return control(source, at + 2)
  if (next === 0x5d || next === 0x50 || next === 0x58 || next === 0x5e || next === 0x5f) return string(source, at + 2)
  let end = at + 1
  while (isBetween(source.charCodeAt(end), 0x20, 0x2f)) end += 1
  return isBetween(source.charCodeAt(end), 0x30, 0x7e) ? dropped(end + 1) : null
}

function control(source: Source, from: number): Sequence {
  const parameters: number[] = []
  let value = 0
  let isPrivate = false
  let at = from
  for (; at < source.length; at += 1) {
    const code = source.charCodeAt(at)
    if (isBetween(code, 0x30, 0x39)) {
      value = Math.min(MOST, value * 10 + code - 0x30)
    } else if (code === 0x3b || code === 0x3a) {
      if (parameters.length < MAX_PARAMETERS) parameters.push(value)
      value = 0
    } else if (isBetween(code, 0x3c, 0x3f) || isBetween(code, 0x20, 0x2f)) {
      isPrivate = true
    } else {
      break
    }
  }
  const final = source.charCodeAt(at)
  if (!isBetween(final, 0x40, 0x7e)) return dropped(at)
  parameters.push(value)
  return { end: at + 1, parameters: final === 0x6d && !isPrivate ? parameters : null, isUnfinished: false }
}

function string(source: Source, from: number): Sequence {
  let at = from
  for (; at < source.length; at += 1) {
    const code = source.charCodeAt(at)
    if (code === BEL || code === STRING_END) return dropped(at + 1)
    if (code === ESC) return source.charCodeAt(at + 1) === 0x5c ? dropped(at + 2) : unfinished(at)
    if (code === NEWLINE) break
  }
  return unfinished(at)
}

function dropped(end: number): Sequence {
  return { end, parameters: null, isUnfinished: false }
}

function unfinished(end: number): Sequence {
  return { end, parameters: null, isUnfinished: true }
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high
}

function push(runs: Run[], text: string, style: Style): void {
  const shown = style === PLAIN || isPlain(style) ? null : style
  const last = runs[runs.length - 1]
  if (last && last.style === shown) last.text += text
  else runs.push({ text, style: shown })
}

function isPlain(style: Style): boolean {
  return (
    !style.fg &&
    !style.bg &&
    !(style.isBold || style.isDim || style.isItalic || style.isUnderlined || style.isStruck || style.isInverse)
  )
}

function rendered(before: Style, parameters: number[]): Style {
  let style = { ...before }
  for (let index = 0; index < parameters.length; index += 1) {
    const code = parameters[index] ?? 0
    if (code === 38 || code === 48) {
      const [colour, used] = extended(parameters, index + 1)
      index += used
      if (colour) style = code === 38 ? { ...style, fg: colour } : { ...style, bg: colour }
    } else {
      style = simple(style, code)
    }
  }
  return isPlain(style) ? PLAIN : style
}

function simple(style: Style, code: number): Style {
  if (isBetween(code, 30, 37)) return { ...style, fg: { named: code - 30 } }
  if (isBetween(code, 90, 97)) return { ...style, fg: { named: code - 82 } }
  if (isBetween(code, 40, 47)) return { ...style, bg: { named: code - 40 } }
  if (isBetween(code, 100, 107)) return { ...style, bg: { named: code - 92 } }
  switch (code) {
    case 0:
      return PLAIN
    case 1:
      return { ...style, isBold: true }
    case 2:
      return { ...style, isDim: true }
    case 3:
      return { ...style, isItalic: true }
    case 4:
      return { ...style, isUnderlined: true }
    case 7:
      return { ...style, isInverse: true }
    case 9:
      return { ...style, isStruck: true }
    case 22:
      return { ...style, isBold: false, isDim: false }
    case 23:
      return { ...style, isItalic: false }
    case 24:
      return { ...style, isUnderlined: false }
    case 27:
      return { ...style, isInverse: false }
    case 29:
      return { ...style, isStruck: false }
    case 39:
      return { ...style, fg: null }
    case 49:
      return { ...style, bg: null }
    default:
      return style
  }
}

/** Returns the colour after 38 or 48, and how many parameters it took. */
function extended(parameters: number[], at: number): [Colour | null, number] {
  const kind = parameters[at]
  if (kind === 5) return [indexed(parameters[at + 1] ?? 0), 2]
  if (kind !== 2) return [null, 1]
  const [red, green, blue] = [parameters[at + 1], parameters[at + 2], parameters[at + 3]].map((part) =>
    Math.min(255, part ?? 0),
  )
  return [{ rgb: [red ?? 0, green ?? 0, blue ?? 0] }, 4]
}

const STEPS = [0, 95, 135, 175, 215, 255]

/** Returns one of the 256 colours: sixteen named ones, a cube of six steps, and greys. */
function indexed(number: number): Colour | null {
  if (number > 255) return null
  if (number < 16) return { named: number }
  if (number >= 232) {
    const grey = 8 + (number - 232) * 10
    return { rgb: [grey, grey, grey] }
  }
  const cube = number - 16
  const step = (index: number): number => STEPS[index % 6] ?? 0
  return { rgb: [step(Math.floor(cube / 36)), step(Math.floor(cube / 6)), step(cube)] }
}
