import { lazy, Suspense } from "react"
import { type PhoneNow, usePhone } from "@/api/mobile/use-phone"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"

const NowPage = lazy(() => import("@/features/now/now-page"))
const WaitingFirst = lazy(() => import("@/features/approvals/waiting-first"))

export function NowRoute() {
  const phone = usePhone()
  usePageTitle("Now")
  return (
    <Suspense fallback={<Opening />}>
      <WaitingFirst refusal={refusalOf(phone)}>
        {(cards, pending) => <NowPage phone={phone} cards={cards} pending={pending} />}
      </WaitingFirst>
    </Suspense>
  )
}

/** Why this login may not answer requests, in the words of the server; null if it may. */
function refusalOf({ hello, requests }: PhoneNow): string | null {
  if (hello === null || hello.scopes.includes("approve")) return null
  return requests()[0]?.whyNot ?? "This device may not answer requests."
}

function Opening() {
  return (
    <div role="status" aria-label="Opening what is now" className="mx-auto flex max-w-2xl flex-col gap-3 px-3 py-4">
      <Skeleton className="h-40" />
      <Skeleton className="h-24" />
    </div>
  )
}
