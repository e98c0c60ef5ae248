import { afterEach, expect, it, vi } from "vitest"
import { isProblem, ProblemError } from "./backend"
import { conversationUrl, http, queryOf } from "./http"

afterEach(() => vi.unstubAllGlobals())

function answering(status: number, body: string) {
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(new Response(body, { status })))
  vi.stubGlobal("fetch", fetch)
  return fetch
}

it("writes what is there into the query, and lists as repeats", () => {
  expect(queryOf({ q: "a b&c", start: 0, none: undefined, no: false, yes: true, branch: ["x", "y"] })).toBe(
    "?q=a+b%26c&start=0&yes=1&branch=x&branch=y",
  )
  expect(queryOf({ q: undefined })).toBe("")
})

it("keeps an empty cursor: it means the beginning", () => {
  expect(conversationUrl("w/a/c", "rows", { after: "" })).toBe("/api/conversations/w/a/c/rows?after=")
})

it("keeps each part of a name one segment", () => {
  expect(conversationUrl("my shop/main/c?d#e", "rows")).toBe("/api/conversations/my%20shop/main/c%3Fd%23e/rows")
})

it("says who it is when it asks for a ticket", async () => {
  const fetch = answering(200, '{"ticket":"t"}')
  expect(await http.ticket()).toEqual({ ticket: "t" })
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({ method: "POST", headers: { "X-Chorus": "1" } })
})

it("fails with the server's problem", async () => {
  answering(400, '{"kind":"bad_query","message":"no","at":[1,2]}')
  const error = await http.search({ q: "x" }).catch((reason: unknown) => reason)
  expect(isProblem(error, "bad_query") && error.at).toEqual([1, 2])
})

it("fails in words when someone else answered, and when nobody did", async () => {
  answering(502, "<html>")
  await expect(http.status()).rejects.toThrow("502")
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("refused")))
  const error = await http.status().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ProblemError)
  expect(isProblem(error, "unreachable")).toBe(true)
})
