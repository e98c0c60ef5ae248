import { useQuery } from "@tanstack/react-query"
import { useBackend } from "@/api/follow"
import { useStatus } from "@/api/use-status"
import { Devices } from "./devices/devices-section"
import { About, Hooks, Prices, Watched, WhoMayApprove } from "./machine-settings"
import { Notifications } from "./notifications-section"
import { Keys } from "./keys-section"
import { ReaderSettings, type Theme } from "./reader-settings"
import { PartLinks } from "./section"

const PARTS = [
  "This browser", "Notifications", "Watched folders", "Approvers", "Devices", "Hooks", "Prices", "Keyboard shortcuts", "About Chorus",
] as const

/** All settings. Except for paired devices, settings that change permissions are shown as commands for the terminal. */
export default function SettingsPage({ theme, onTheme }: { theme: Theme; onTheme: (theme: Theme) => void }) {
  const backend = useBackend()
  const status = useStatus().data
  const { data, error } = useQuery({ queryKey: ["settings"], queryFn: ({ signal }) => backend.settings(signal), refetchInterval: 10_000 })
  return (
    <div data-page className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-5 md:px-5 md:py-8">
        <h1 className="text-xl font-semibold tracking-tight">Settings</h1>
        <PartLinks titles={PARTS} />
        <ReaderSettings theme={theme} onTheme={onTheme} />
        <Notifications />
        {error === null ? null : (
          <p role="alert" className="text-failed">
            The settings of the server cannot be read: {error.message}
          </p>
        )}
        <Watched status={status} />
        <WhoMayApprove />
        {data === undefined ? null : (
          <>
            <Devices devices={data.devices} />
            <Hooks hooks={data.hooks} />
            <Prices prices={data.prices} />
          </>
        )}
        <Keys />
        <About status={status} settings={data} />
      </div>
    </div>
  )
}
