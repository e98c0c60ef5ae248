import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useBackend } from "@/api/follow"
import type { PairedDevicesShown } from "@/api/schema"
import type { AccessScope } from "@/parts/scopes"

const KEY = ["paired devices"]
const ASK_MS = 5000
/** While a person holds a phone in the hand. */
const PAIRING_MS = 700

/** The paired devices, and functions to change them. */
export function useDevices({ isPairing = false }: { isPairing?: boolean } = {}) {
  const backend = useBackend()
  const cache = useQueryClient()
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => backend.devices(signal),
    refetchInterval: isPairing ? PAIRING_MS : ASK_MS,
  })
  const take = async (answer: Promise<PairedDevicesShown>) => {
    const shown = await answer
    // A list that was asked for before the change must not replace it.
    await cache.cancelQueries({ queryKey: KEY })
    cache.setQueryData(KEY, shown)
  }
  return {
    shown: data ?? null,
    error,
    /** Shows a new QR code. From then on `shown` is about this pairing. */
    offer: async (scope: AccessScope) => {
      const offer = await backend.offerPairing(scope)
      await take(backend.devices())
      return offer
    },
    answer: (code: string, isConfirmed: boolean) => take(backend.answerPairing(code, isConfirmed)),
    rename: (id: string, name: string) => take(backend.renameDevice(id, name)),
    revoke: (id: string) => take(backend.revokeDevice(id)),
  }
}
