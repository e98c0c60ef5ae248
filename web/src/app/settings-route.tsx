import { lazy, Suspense } from "react"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"
import { setTheme, useTheme } from "./theme"

const SettingsPage = lazy(() => import("@/features/settings/settings-page"))

export function SettingsRoute() {
  const theme = useTheme()
  usePageTitle("Settings")
  return (
    <Suspense fallback={<Skeleton className="mx-auto mt-8 h-64 max-w-3xl" />}>
      <SettingsPage theme={theme} onTheme={setTheme} />
    </Suspense>
  )
}
