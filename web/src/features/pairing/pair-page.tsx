import { useQuery } from "@tanstack/react-query"
import { isProblem } from "@/api/backend"
import { useBackend } from "@/api/follow"
import type { Device } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { canHaveKey } from "@/parts/device-key"
import { rightsOf } from "@/parts/scopes"
import { Button, buttonLook } from "@/ui/button"
import { Claiming } from "./claiming"
import type { Offer, Offered } from "./link"
import { OneThing } from "./one-thing"

const SHOW = "On the computer, open Settings and choose “Pair a phone”, or run this in a terminal:"

/** The page that a phone opens from the QR code: pairs it, or says why that is not possible. */
export default function PairPage({ offered }: { offered: Offered }) {
  if (offered === "missing") {
    return (
      <OneThing title="Pair this phone" command>
        <p>On the computer, open Settings and choose “Pair a phone”. Then scan the QR code with this phone. A terminal shows one, too:</p>
      </OneThing>
    )
  }
  if (offered === "broken") {
    return (
      <OneThing title="This address is not complete" command>
        <p>It does not say what this phone may do. Scan the whole QR code, or copy the whole address. {SHOW}</p>
      </OneThing>
    )
  }
  if (!canHaveKey()) {
    return (
      <OneThing title="This browser cannot keep a key here">
        <p>
          Pairing needs a key that never leaves this phone. A browser makes one only on an encrypted page (https), or on the
          computer itself, and not in every private window.
        </p>
        <p>Open exactly the address of the QR code, in a normal window of Safari, Chrome or Firefox.</p>
      </OneThing>
    )
  }
  return <Checked offered={offered} />
}

/** Lets a browser of the computer keep its login, which may do more than any device. */
function Checked({ offered }: { offered: Offer }) {
  const backend = useBackend()
  const own = useQuery({
    queryKey: ["pairing", "own login"],
    queryFn: async ({ signal }): Promise<Device | null> => {
      try {
        return (await backend.settings(signal)).devices.find(({ is_this }) => is_this) ?? null
      } catch (error) {
        if (isProblem(error, "not_logged_in")) return null
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (own.isPending) return <div aria-busy="true" className="h-full" />
  if (own.isError) {
    return (
      <OneThing title="Chorus does not answer">
        <p role="alert">The computer cannot be reached: is this phone in the same network, and does Chorus run?</p>
        <Button size="lg" onClick={() => void own.refetch()}>
          Try again
        </Button>
      </OneThing>
    )
  }
  if (own.data !== null && own.data.scope === null) {
    return (
      <OneThing title="This browser needs no pairing">
        <p>It is logged in on the computer already, and may do everything. Scan the QR code with the phone instead.</p>
        <a href="/" className={buttonLook("primary", "lg")}>
          Open Chorus
        </a>
      </OneThing>
    )
  }
  return (
    <Claiming offered={offered}>
      {own.data === null || own.data.scope === null ? null : (
        <p>
          It is paired already as “{seenLine(own.data.name ?? "")}” and may {rightsOf(own.data.scope)}. Pairing it again gives it
          a new entry; revoke the old one on the computer.
        </p>
      )}
    </Claiming>
  )
}
