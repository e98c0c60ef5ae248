/** The rule at the top of src/app/app.css: an element has utilities of Tailwind or classes of a CSS file, never both. */

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

// The test runner imports every CSS file as an empty text, so these are read from the disk.
const ROOT = join(import.meta.dirname, "..")
const STYLES = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".css"))
  .map((path) => readFileSync(join(ROOT, path), "utf8"))
const SOURCES = import.meta.glob<string>("../**/*.tsx", { query: "?raw", import: "default", eager: true })

/** Utility classes that a CSS file selects. Remove an entry when its rule is gone; never add one. */
const SELECTED_UTILITIES = [
  // card-content.css: a request for permission shows paths in full, although blocks cut them at the end of the line.
  "truncate",
]

/** Elements that have both, as `file: className`. Remove an entry when the element is repaired; never add one. */
const MIXED_ELEMENTS: readonly string[] = []

/** Returns the classes that the CSS files select. */
function selectedClasses(): Set<string> {
  const found = new Set<string>()
  for (const style of STYLES) {
    const rules = style.replaceAll(/\/\*[\s\S]*?\*\/|"[^"]*"/g, "")
    // The text before a brace is a selector; values of declarations, such as 0.5rem, are ignored.
    for (const [, selector = ""] of rules.matchAll(/([^{};]*)\{/g)) {
      for (const [, name = ""] of selector.matchAll(/\.([a-z][\w-]*)/g)) found.add(name)
    }
  }
  return found
}

/** Returns the classes of each className attribute of a source, as far as they are written in it. */
function elementsOf(source: string): string[][] {
  const attributes = source.matchAll(/\bclassName=(?:"([^"]*)"|\{((?:[^{}]|\{[^{}]*\})*)\})/g)
  return [...attributes].map(([, text, code = ""]) => {
    const strings = text === undefined ? code.replaceAll(/[!=]==\s*"[^"]*"/g, "").matchAll(/"([^"]*)"/g) : [["", text]]
    return [...strings].flatMap(([, classes = ""]) => classes.split(/\s+/).filter((name) => name !== ""))
  })
}

/** Whether a class has no style of its own: it only names an element for utilities inside it. */
function isMarker(name: string): boolean {
  return name.startsWith("group/")
}

const selected = selectedClasses()

it("finds the classes of elements and of CSS files", () => {
  expect(elementsOf('<p className="note p-3" /><b className={cx("row", kind === "left" && "on")} />')).toEqual([
    ["note", "p-3"],
    ["row", "on"],
  ])
  expect(selected).toContain("message-header")
  expect(selected).not.toContain("min-w-0")
})

it("styles each element with utilities or with classes of a CSS file, not with both", () => {
  const mixed: string[] = []
  for (const [path, source] of Object.entries(SOURCES)) {
    if (path.includes(".test.")) continue
    for (const classes of elementsOf(source)) {
      const names = classes.filter((name) => !isMarker(name))
      const own = names.filter((name) => selected.has(name) && !SELECTED_UTILITIES.includes(name))
      if (own.length > 0 && own.length < names.length) mixed.push(`${path.replace("../", "src/")}: ${classes.join(" ")}`)
    }
  }
  expect(mixed.toSorted()).toEqual(MIXED_ELEMENTS)
})

it("has no exception that is not needed", () => {
  expect(SELECTED_UTILITIES.filter((name) => !selected.has(name))).toEqual([])
})
