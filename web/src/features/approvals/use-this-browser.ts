import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useBackend } from "@/api/follow"
import type { Approvers, Enrolment } from "@/api/schema"
import { APPROVERS_KEY } from "@/api/use-approvals"
import { type DeviceKey, loadKey, makeKey } from "@/parts/device-key"
import { entryBytes, fingerprint } from "@/parts/signing"
import { type Standing, standingOf } from "./standing"

const ASK_MS = 5000
/** A short interval, because a person with two browsers waits for one to notice the other. */
const WAITING_MS = 1500

interface Known {
  approvers: Approvers
  key: DeviceKey | null
}

export interface ThisBrowser {
  /** null until it is known. */
  approvers: Approvers | null
  standing: Standing | null
  key: DeviceKey | null
  error: Error | null
  enrol(name: string): Promise<void>
  admit(enrolment: Enrolment): Promise<void>
  remove(id: string): Promise<void>
}

/** The approvers, whether this browser is one, and functions to change that. */
export function useThisBrowser(): ThisBrowser {
  const backend = useBackend()
  const cache = useQueryClient()
  const query = useQuery({
    queryKey: APPROVERS_KEY,
    queryFn: async ({ signal }): Promise<Known> => {
      const [approvers, key] = await Promise.all([backend.approvers(signal), loadKey()])
      return { approvers, key }
    },
    refetchInterval: ({ state }) => (state.data && standing(state.data) === "waiting" ? WAITING_MS : ASK_MS),
  })
  const put = (known: Known) => cache.setQueryData<Known>(APPROVERS_KEY, known)

  /** Signs a change and sends it. The list is loaded first, because the signature has to name its last line. */
  const change = async (action: "add" | "remove", id: string, given: Pick<Enrolment, "name" | "public_key"> | null) => {
    const key = await loadKey()
    const { head } = await backend.approvers()
    if (key === null) throw new Error("This browser has no key to sign with.")
    if (given !== null && (await fingerprint(given.public_key)) !== id) throw new Error("That is not the key its code names.")
    const entry = { action, id, at: new Date().toISOString(), by: key.id }
    const named = given === null ? {} : { name: given.name, publicKey: given.public_key }
    const signature = await key.sign(entryBytes({ ...entry, ...named }, head))
    put({ approvers: await backend.changeApprovers({ ...entry, signature }), key })
  }

  const known = query.data ?? null
  return {
    approvers: known?.approvers ?? null,
    standing: known && standing(known),
    key: known?.key ?? null,
    error: query.error,
    enrol: async (name) => {
      const [before, kept] = await Promise.all([backend.approvers(), loadKey()])
      // A removed key can never be used again; a key that still counts is kept, and a device has no other one.
      const isGood = kept !== null && (kept.isPaired || standingOf(before, kept.id) !== "none")
      const key = isGood ? kept : await makeKey()
      put({ approvers: await backend.enrol({ name, public_key: key.publicKey }), key })
    },
    admit: (enrolment) => change("add", enrolment.id, enrolment),
    remove: (id) => change("remove", id, null),
  }
}

function standing({ approvers, key }: Known): Standing {
  return standingOf(approvers, key?.id ?? null)
}
