import { expect, it } from "vitest"
import { SHORTCUTS, type Scope } from "./shortcuts"

const SOURCES = import.meta.glob<string>("../**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true })

/** Which keys a part of the application may bind. `?` is the list of keys wherever it is pressed. */
function scopesOf(path: string): readonly Scope[] {
  if (path.includes("features/transcript/replay")) return ["moving", "transcript", "replay"]
  if (path.includes("features/transcript") || path.includes("features/runs/talking")) return ["moving", "transcript"]
  return path.includes("app/shell") || path.includes("/exported/") ? ["everywhere"] : ["moving"]
}

/** Returns the names in the object that is passed to `useKeys`. */
function bound(source: string): string[] {
  const calls = source.split(/\buseKeys\(\{/).slice(1)
  return calls.flatMap((rest) => {
    let depth = 1
    let top = ""
    for (const letter of rest) {
      if ("{([".includes(letter) && !/["'[]$/.test(top)) depth += 1
      if ("})]".includes(letter) && !/["']$/.test(top)) depth -= 1
      if (depth === 0) break
      if (depth === 1) top += letter
    }
    return [...top.matchAll(/(?:^|[,{\n])\s*(?:"([^"]+)"|([A-Za-z]+))\s*(?=:|,|$)/g)].map((found) => found[1] ?? found[2] ?? "")
  })
}

it("gives each key one meaning", () => {
  const names = SHORTCUTS.map(({ keys }) => keys)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  // The first key of a sequence does nothing by itself.
  const first = names.filter((name) => name.includes(" ")).map((name) => name.split(" ")[0])
  expect(names.filter((name) => first.includes(name))).toEqual([])
})

it("binds only keys of the list, each where it belongs", () => {
  const wrong: string[] = []
  let count = 0
  for (const [path, source] of Object.entries(SOURCES)) {
    if (path.includes(".test.") || path.endsWith("ui/keys.ts")) continue
    for (const key of bound(source)) {
      count += 1
      const found = SHORTCUTS.find(({ keys }) => keys === key)
      const isShared = key === "?" || key === "Escape"
      if (found === undefined || (!isShared && !scopesOf(path).includes(found.scope))) wrong.push(`${path}: ${key}`)
    }
  }
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(20)
})

it("shows on buttons only keys of the list", () => {
  const names: readonly string[] = SHORTCUTS.map(({ keys }) => keys)
  // Keys of the focused field, which are not in the list of shortcuts.
  const ofFields = ["Shift Enter"]
  const wrong: string[] = []
  for (const [path, source] of Object.entries(SOURCES)) {
    if (path.includes(".test.")) continue
    for (const [, attribute, second] of source.matchAll(/\bkeys="([^"]+)"|\btip\([^()]*, "([^"]+)"\)/g)) {
      const shown = attribute ?? second ?? ""
      const name = shown === "Esc" ? "Escape" : shown.replace("Shift ", "shift+").replace(/(?<=^|\+|\s)[A-Z](?=$|\s)/g, (key) => key.toLowerCase())
      if (!ofFields.includes(shown) && !names.includes(name)) wrong.push(`${path}: ${shown}`)
    }
  }
  expect(wrong).toEqual([])
})
