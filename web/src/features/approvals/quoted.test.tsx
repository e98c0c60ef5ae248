// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react"
import { afterEach, expect, it } from "vitest"
import { Quoted } from "./quoted"

afterEach(cleanup)

it("draws the one thing that is quoted as code", () => {
  const { container } = render(<Quoted text="may delete: `rm`" />)
  expect(container.textContent).toBe("may delete: rm")
  expect(container.querySelector("code")?.textContent).toBe("rm")
})

it("leaves out no backtick of what is quoted", () => {
  const { container } = render(<Quoted text="allow `echo `id`:*` from now on" />)
  expect(container.textContent).toBe("allow `echo `id`:*` from now on")
  expect(container.querySelector("code")).toBeNull()
})
