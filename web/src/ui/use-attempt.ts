import { useState } from "react"

/** An action that may fail, once at a time. `trouble` says why the last attempt failed. */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)

  const attempt = async (act: () => Promise<void>): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    setTrouble(null)
    try {
      await act()
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : "That did not work.")
    } finally {
      setBusy(false)
    }
  }
  return { attempt, isBusy, trouble }
}
