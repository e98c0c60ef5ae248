import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense, useCallback } from "react"
import { groupingNamed } from "@/features/usage/choices"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"
import { useHelp } from "./help-context"

const UsagePage = lazy(() => import("@/features/usage/usage-page"))
const route = getRouteApi("/usage")

export function UsageRoute() {
  const { q = "", by = "", since = "", of } = route.useSearch()
  const navigate = route.useNavigate()
  const openHelp = useHelp()
  usePageTitle("Usage")

  const change = useCallback(
    (next: { q?: string | undefined; by?: string | undefined; since?: string | undefined; of?: "tokens" | undefined }) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const onQuery = useCallback((text: string) => change({ q: text === "" ? undefined : text }), [change])
  return (
    <Suspense fallback={<Skeleton className="mx-auto mt-8 h-64 max-w-5xl" />}>
      <UsagePage
        q={q}
        by={groupingNamed(by)}
        since={since}
        measure={of ?? "cost"}
        onQuery={onQuery}
        onBy={(next) => change({ by: next === "day" ? undefined : next })}
        onSince={(next) => change({ since: next === "" ? undefined : next })}
        onMeasure={(next) => change({ of: next === "tokens" ? "tokens" : undefined })}
        onHelp={() => openHelp("queries")}
      />
    </Suspense>
  )
}
