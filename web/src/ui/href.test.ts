import { expect, it } from "vitest"
import { safeHref } from "./href"

it.each(["javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:x", "/relative", "//host", "x", "", "chrome://settings"])(
  "does not follow %s",
  (text) => {
    expect(safeHref(text)).toBeNull()
  },
)

it("says where a link leads, without a name put before the host", () => {
  expect(safeHref("https://bank.example@evil.example/a")).toEqual({ href: "https://evil.example/a", place: "evil.example" })
  expect(safeHref("http://x.org:8080/")?.place).toBe("x.org:8080")
  expect(safeHref("mailto:a@b.org")?.place).toBe("a@b.org")
})
