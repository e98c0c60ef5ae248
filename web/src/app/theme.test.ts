import { expect, it } from "vitest"
import { titleOf } from "@/ui/page-title"
import { nextTheme, setTheme, themeOf } from "./theme"

it("goes round system, light and dark", () => {
  expect(nextTheme("system")).toBe("light")
  expect(nextTheme("light")).toBe("dark")
  expect(nextTheme("dark")).toBe("system")
  expect(themeOf("mauve")).toBe("system")
})

it("marks the page and is remembered", () => {
  setTheme("dark")
  expect(document.documentElement.dataset["theme"]).toBe("dark")
  expect(localStorage.getItem("chorus.theme")).toBe("dark")
  setTheme("system")
  expect(document.documentElement.dataset["theme"]).toBeUndefined()
  expect(localStorage.getItem("chorus.theme")).toBeNull()
})

it("counts those who wait before the title", () => {
  expect(titleOf("Search", 2)).toBe("(2) Search · Chorus")
  expect(titleOf("", 0)).toBe("Chorus")
})
