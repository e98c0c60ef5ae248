import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useBackend } from "@/api/follow"
import type { Device, PairedDeviceShown } from "@/api/schema"
import { STATUS_KEY } from "@/api/use-status"
import { seenLine } from "@/blocks/text/seen"
import { PlaceLink } from "@/parts/place-link"
import { rightsOf } from "@/parts/scopes"
import { Button } from "@/ui/button"
import { CommandLine } from "@/ui/command-line"
import { Ago } from "@/ui/time"
import { Section } from "../section"
import { DeviceRow } from "./device-row"
import { PairDialog } from "./pair-dialog"
import { useDevices } from "./use-devices"

/** Who is logged in, and the paired devices. A device sees only its own login, because the computer manages them. */
export function Devices({ devices }: { devices: readonly Device[] }) {
  const own = devices.find(({ is_this }) => is_this)
  const isOnComputer = own !== undefined && own.scope === null
  return (
    <Section title="Devices">
      {isOnComputer ? <Paired /> : null}
      <ul className="flex flex-col gap-1">
        {devices
          .filter(({ is_this, scope }) => is_this || (isOnComputer && scope === null))
          .map((device) => (
            <Login key={`${device.began_at} ${device.seen_at}`} device={device} />
          ))}
      </ul>
      {isOnComputer ? (
        <>
          <p className="text-ink-2">Another browser of this computer logs in with a link that works once:</p>
          <CommandLine text="chorus open" />
        </>
      ) : (
        <p className="text-ink-2">Devices are paired, renamed and revoked on the computer.</p>
      )}
    </Section>
  )
}

function Login({ device }: { device: Device }) {
  const { is_this, began_at, seen_at, name, scope } = device
  const backend = useBackend()
  const cache = useQueryClient()
  const logOut = async () => {
    await backend.logout().catch(() => {})
    await cache.invalidateQueries({ queryKey: STATUS_KEY })
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="font-medium">{is_this ? "This browser" : "Another browser"}</span>
      <span className="text-sm text-ink-2">
        {scope === null ? null : `paired as “${seenLine(name ?? "")}”, may ${rightsOf(scope)}, `}
        logged in <Ago iso={began_at} />, last seen <Ago iso={seen_at} />
      </span>
      {is_this ? (
        <Button size="sm" onClick={() => void logOut()}>
          Log out
        </Button>
      ) : null}
    </li>
  )
}

/** The paired devices; a page of the computer alone may ask for them. */
function Paired() {
  const { shown, error, rename, revoke } = useDevices()
  const [isPairing, setPairing] = useState(false)
  const [revoked, setRevoked] = useState<PairedDeviceShown | null>(null)
  return (
    <>
      <p className="text-ink-2">A paired phone has a key and rights of its own, and can be revoked alone.</p>
      {error === null ? null : (
        <p role="alert" className="text-failed">
          The paired devices cannot be read: {error.message}
        </p>
      )}
      {shown === null || shown.trouble === null ? null : (
        <p role="alert" className="text-failed break-words">
          {seenLine(shown.trouble)}
        </p>
      )}
      {shown === null ? null : shown.devices.length === 0 ? (
        <p className="text-ink-2">No device is paired.</p>
      ) : (
        <ul aria-label="Paired devices" className="flex flex-col">
          {shown.devices.map((device) => (
            <DeviceRow
              key={device.id}
              device={device}
              onRename={(name) => rename(device.id, name)}
              onRevoke={async () => {
                await revoke(device.id)
                setRevoked(device)
              }}
            />
          ))}
        </ul>
      )}
      {revoked === null ? null : (
        <p role="status">
          “{seenLine(revoked.name)}” was revoked and is logged out.
          {revoked.scope === "approve" ? (
            <>
              {" "}
              If it is an approver, remove it there as well:{" "}
              <PlaceLink href="/approvals#approvers" className="text-accent underline underline-offset-2">
                Approvals
              </PlaceLink>
              .
            </>
          ) : null}
        </p>
      )}
      <Button className="self-start" onClick={() => setPairing(true)}>
        Pair a phone
      </Button>
      {isPairing ? <PairDialog onClose={() => setPairing(false)} /> : null}
    </>
  )
}
