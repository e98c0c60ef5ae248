import { render } from "@testing-library/react"
import { expect, test } from "vitest"

test("a test that draws something and does not clean up", () => {
  render(<p>left over</p>)
  expect(document.body.textContent).toContain("left over")
})

test("leaves nothing for the next one", () => {
  expect(document.body.textContent).toBe("")
})
