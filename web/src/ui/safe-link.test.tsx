/** Security table, row B5: only http, https and mailto are followed, and every link that is drawn says as little as it can. */

import { cleanup, render } from "@testing-library/react"
import { afterEach, describe, expect, it } from "vitest"
import { addresses } from "@/testing/addresses"
import { safeHref } from "./href"
import { SafeLink } from "./safe-link"

const COUNT = 1_000
const MADE = addresses(COUNT)
const FOLLOWED = new Set(["http:", "https:", "mailto:"])

afterEach(cleanup)

/** Returns how a browser resolves an address on a page of Chorus. */
function resolved(text: string): URL | null {
  try {
    return new URL(text, "http://127.0.0.1:7717/c/a")
  } catch {
    return null
  }
}

describe("B5", () => {
  it("has a thousand different addresses; a page without protection would follow hundreds that it must not", () => {
    expect(new Set(MADE).size).toBe(COUNT)
    const kinds = MADE.map((text) => resolved(text)?.protocol ?? "")
    expect(kinds.filter((kind) => kind === "javascript:").length).toBeGreaterThan(10)
    expect(kinds.filter((kind) => kind !== "" && !FOLLOWED.has(kind)).length).toBeGreaterThan(200)
  })

  it("follows only http, https and mailto, and no address inside the application", () => {
    const followed = MADE.flatMap((text) => safeHref(text) ?? [])
    expect(followed.length).toBeGreaterThan(50)
    expect(followed.filter(({ href }) => !/^(?:https?:\/\/[^/@]+(?:\/|$)|mailto:)/.test(href))).toEqual([])
    expect(followed.filter(({ href }) => new URL(href).host === "127.0.0.1:7717")).toEqual([])
    expect(followed.filter(({ href }) => /[\x00-\x20\x7f-\x9f\u200b\u202e]/.test(href))).toEqual([])
  })

  it("draws each of them as a link that gives nothing away, or as no link", () => {
    const { container } = render(
      <>
        {MADE.map((text) => (
          <SafeLink key={text} href={text}>
            x
          </SafeLink>
        ))}
      </>,
    )
    const links = [...container.querySelectorAll("a")]
    expect(links).toHaveLength(MADE.filter((text) => safeHref(text) !== null).length)
    for (const link of links) {
      expect(link.getAttribute("rel")).toBe("noopener noreferrer")
      expect(link.getAttribute("target")).toBe("_blank")
      expect(FOLLOWED).toContain(new URL(link.getAttribute("href") ?? "").protocol)
    }
  })
})
