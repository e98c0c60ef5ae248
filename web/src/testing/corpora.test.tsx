import { cleanup, render } from "@testing-library/react"
import { afterEach, expect, it } from "vitest"
import { drawings, faults } from "./corpora"

afterEach(cleanup)

it("draws ordinary and hostile Markdown without a failure", () => {
  const found = [...drawings()]
    .filter(({ name }) => name.startsWith("Markdown"))
    .flatMap(({ name, node }) => {
      const { container, unmount } = render(node)
      const wrong = faults(container).map((fault) => `${name}: ${fault}`)
      unmount()
      return wrong
    })
  expect(found).toEqual([])
})
