import { useState } from "react"

/** How long a row says that its link was copied. */
const COPIED_MS = 1500

/** Copies links of rows to the clipboard. `copiedId` is the row whose link was just copied, or null. */
export function useCopiedLink(
  addressOf: (id: string) => string,
  onCopied: (id: string) => void,
): { copiedId: string | null; copyLink: (id: string) => Promise<void> } {
  const [copiedId, setCopied] = useState<string | null>(null)
  const copyLink = async (id: string): Promise<void> => {
    await navigator.clipboard.writeText(addressOf(id))
    onCopied(id)
    setCopied(id)
    window.setTimeout(() => setCopied(null), COPIED_MS)
  }
  return { copiedId, copyLink }
}
