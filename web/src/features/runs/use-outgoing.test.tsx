// @vitest-environment happy-dom
import { act, cleanup, renderHook } from "@testing-library/react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { ProblemError } from "@/api/backend"
import type { Message } from "@/api/schema"
import { draftOf } from "./drafts"
import { useOutgoing } from "./use-outgoing"

afterEach(cleanup)
beforeEach(() => sessionStorage.clear())

const REFUSAL = new ProblemError({ kind: "cannot_run", message: "run x works on it", at: null })

test("what was taken is gone, from the field and from what is kept", async () => {
  const { result } = renderHook(() => useOutgoing("w/a/1"))
  act(() => result.current.setText("Hoist."))
  expect(draftOf("w/a/1")).toBe("Hoist.")
  const sent: Message[] = []
  await act(() => result.current.send(async (message) => void sent.push(message), true))
  expect(sent).toEqual([{ text: "Hoist.", pictures: [], is_later: true }])
  expect(result.current.text).toBe("")
  expect(draftOf("w/a/1")).toBe("")
})

test("what was refused stays, with the reason", async () => {
  const { result } = renderHook(() => useOutgoing("w/a/2"))
  act(() => result.current.setText("Hoist."))
  const given = await act(() => result.current.send(() => Promise.reject(REFUSAL)))
  expect(given).toBeNull()
  expect(result.current.text).toBe("Hoist.")
  expect(result.current.trouble).toEqual({ kind: "cannot_run", message: "run x works on it" })
  expect(result.current.isSending).toBe(false)
  expect(renderHook(() => useOutgoing("w/a/2")).result.current.text).toBe("Hoist.")
})

test("a second press sends nothing, and neither does an empty field", async () => {
  const { result } = renderHook(() => useOutgoing("w/a/3"))
  const deliver = vi.fn(() => Promise.resolve("taken"))
  await act(() => result.current.send(deliver))
  expect(deliver).not.toHaveBeenCalled()
  act(() => result.current.setText("Hoist."))
  await act(() => Promise.all([result.current.send(deliver), result.current.send(deliver)]))
  expect(deliver).toHaveBeenCalledOnce()
})

test("what was typed while it was sent stays", async () => {
  const { result } = renderHook(() => useOutgoing("w/a/4"))
  act(() => result.current.setText("One."))
  let taken = () => {}
  const sending = act(async () => {
    const sent = result.current.send(() => new Promise<void>((resolve) => (taken = resolve)))
    result.current.setText("One. Two.")
    taken()
    await sent
  })
  await sending
  expect(result.current.text).toBe("One. Two.")
  expect(draftOf("w/a/4")).toBe("One. Two.")
})
