import { RefreshCw } from "lucide-react"
import { Button } from "@/ui/button"
import { useNewerVersion } from "@/ui/newer-version"
import { Strip } from "./strip"

/** Offers to load a newer version of the application. Only a person does that: somebody may be writing. */
export function UpdateNotice() {
  if (!useNewerVersion()) return null
  return (
    <Strip icon={<RefreshCw />} tone="bg-accent-soft text-accent">
      <span>Chorus was updated. This page still shows the version before.</span>
      <Button size="sm" className="ml-auto" onClick={() => window.location.reload()}>
        Reload
      </Button>
    </Strip>
  )
}
