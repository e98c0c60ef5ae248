import { lazy, Suspense } from "react"
import type { Offered } from "@/features/pairing/link"
import { usePageTitle } from "@/ui/page-title"

const PairPage = lazy(() => import("@/features/pairing/pair-page"))

/** The page that a phone opens from the QR code. It needs no login, so it is outside of the router. */
export function PairRoute({ offered }: { offered: Offered }) {
  usePageTitle("Pair")
  return (
    <Suspense fallback={null}>
      <PairPage offered={offered} />
    </Suspense>
  )
}
