import { createContext, useContext } from "react"

export type OpenHelp = (topic: "keys" | "queries") => void

export const HelpContext = createContext<OpenHelp>(() => {})

export function useHelp(): OpenHelp {
  return useContext(HelpContext)
}
