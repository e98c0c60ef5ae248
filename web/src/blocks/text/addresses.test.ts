import { expect, it } from "vitest"
import { hostOf, otherHost } from "./addresses"

it("hostOf names the host or the kind", () => {
  expect(hostOf("https://evil.example/x.png?d=1")).toBe("evil.example")
  expect(hostOf("data:image/png;base64,xx")).toBe("a data address")
  expect(hostOf("shots/a.png")).toBe("a file")
})

it("otherHost tells where a link leads that names another place", () => {
  expect(otherHost("https://bank.example/login", "https://evil.example/")).toBe("evil.example")
  expect(otherHost("bank.example", "https://bank.example.evil.example")).toBe("bank.example.evil.example")
  expect(otherHost("example.org/a", "https://www.example.org/a")).toBeNull()
  expect(otherHost("the docs", "https://evil.example/")).toBeNull()
  expect(otherHost("config.py", "https://example.org/config.py")).toBe("example.org")
  expect(otherHost("x.org", "javascript:alert(1)")).toBeNull()
})
