/** Runs before every test file. Files share one document, so each test leaves it as empty as it found it. */
import { cleanup } from "@testing-library/react"
import { afterEach } from "vitest"

afterEach(() => {
  cleanup()
  document.body.replaceChildren()
})
