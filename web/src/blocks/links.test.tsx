/** Security table, row B5: the same for the addresses in Markdown and in lists of links. */

import { cleanup, render } from "@testing-library/react"
import { afterEach, expect, it } from "vitest"
import { addresses } from "@/testing/addresses"
import { executable } from "@/testing/hostile"
import { safeHref } from "@/ui/href"
import { BlockView } from "./block-view"

const MADE = addresses(1_000)
/** Markdown takes so many at once: more is shown as it is written. */
const TOGETHER = 100

afterEach(cleanup)

it("B5: a list of a thousand links follows http, https and mailto only, and gives nothing away", () => {
  const links = MADE.map((url) => ({ title: "x", url }))
  const { container } = render(<BlockView block={{ type: "links", links, cut_chars: 0 }} at="x" />)
  expect(executable(container)).toEqual([])
  expect(container.querySelectorAll("a")).toHaveLength(MADE.filter((text) => safeHref(text) !== null).length)
})

const FORMS = [
  (url: string) => `[x](<${url}>)`,
  (url: string) => `[x](${url})`,
  (url: string, at: number) => `[x][r${at}]\n\n[r${at}]: <${url}>`,
  (url: string) => `<${url}>`,
  (url: string) => `[![x](<${url}>)](<${url}>)`,
] as const

it("B5: a thousand addresses in Markdown, in five forms, follow http, https and mailto only, and give nothing away", () => {
  let links = 0
  for (let from = 0; from < MADE.length; from += TOGETHER) {
    const markdown = MADE.slice(from, from + TOGETHER)
      .map((url, at) => FORMS[at % FORMS.length]?.(url.replaceAll(/[\n<>]/g, " "), at) ?? "")
      .join("\n\n")
    const { container, unmount } = render(<BlockView block={{ type: "prose", markdown, cut_chars: 0 }} at="x" />)
    expect(executable(container)).toEqual([])
    links += container.querySelectorAll("a[rel='noopener noreferrer']").length
    unmount()
  }
  expect(links).toBeGreaterThan(50)
})
