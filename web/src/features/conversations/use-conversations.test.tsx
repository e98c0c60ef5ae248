import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, renderHook, waitFor } from "@testing-library/react"
import type { ReactNode } from "react"
import { expect, it, vi } from "vitest"
import type { Backend } from "@/api/backend"
import { SourceContext } from "@/api/follow"
import { http } from "@/api/http"
import type { ConversationList } from "@/api/schema"
import { listPage, summary } from "@/testing/summaries"
import { useConversations } from "./use-conversations"

it("asks for the next page once, however often the end is seen meanwhile", async () => {
  const first = listPage([summary("a")], { has_more: true })
  const conversations = vi.fn<Backend["conversations"]>().mockResolvedValueOnce(first)
  const cache = new QueryClient()
  const source = { backend: { ...http, conversations }, live: null }
  const wrapper = ({ children }: { children: ReactNode }) => (
    <SourceContext value={source}>
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    </SourceContext>
  )
  const { result } = renderHook(() => useConversations(""), { wrapper })
  await waitFor(() => expect(result.current.data?.items).toHaveLength(1))

  let answer: (page: ConversationList) => void = () => undefined
  conversations.mockReturnValue(new Promise((resolve) => (answer = resolve)))
  await act(async () => {
    const asked = [result.current.loadMore(), result.current.loadMore(), result.current.loadMore()]
    answer(listPage([summary("b")]))
    await Promise.all(asked)
  })

  await waitFor(() => expect(result.current.data?.items).toHaveLength(2))
  expect(conversations).toHaveBeenCalledTimes(2)
})
