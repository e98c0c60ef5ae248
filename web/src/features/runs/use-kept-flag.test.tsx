// @vitest-environment happy-dom
import { act, cleanup, renderHook } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { useKeptFlag } from "./use-kept-flag"

afterEach(cleanup)

test("what was ticked stays ticked when the field is drawn elsewhere, and belongs to its conversation", () => {
  const first = renderHook(() => useKeptFlag("later w/a/1"))
  act(() => first.result.current[1](true))
  first.unmount()
  expect(renderHook(() => useKeptFlag("later w/a/1")).result.current[0]).toBe(true)
  expect(renderHook(() => useKeptFlag("later w/a/2")).result.current[0]).toBe(false)
})
