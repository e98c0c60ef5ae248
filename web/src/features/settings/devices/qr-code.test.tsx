import { cleanup, render, screen } from "@testing-library/react"
import { afterEach, expect, it } from "vitest"
import { darkPath, QrCode } from "./qr-code"

afterEach(cleanup)

it("draws each run of dark modules as one rectangle", () => {
  expect(darkPath(["0110", "1001", "0000", "1111"])).toBe("M1 0h2v1h-2zM0 1h1v1h-1zM3 1h1v1h-1zM0 3h4v1h-4z")
})

it("is dark on light in both themes, and has a name", () => {
  render(<QrCode rows={["10", "01"]} label="QR code of the address" />)
  const picture = screen.getByRole("img", { name: "QR code of the address" })
  expect(picture.getAttribute("viewBox")).toBe("0 0 2 2")
  expect(picture.querySelector("rect")?.getAttribute("fill")).toBe("#fff")
  expect(picture.querySelector("path")?.getAttribute("fill")).toBe("#000")
})
