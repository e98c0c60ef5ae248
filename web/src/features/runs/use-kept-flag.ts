import { useCallback, useState } from "react"

const kept = new Map<string, true>()

/** A yes or no that outlives its component: the page around a conversation becomes another when the conversation begins. */
export function useKeptFlag(name: string): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => kept.get(name) === true)
  const put = useCallback(
    (next: boolean) => {
      if (next) kept.set(name, true)
      else kept.delete(name)
      setOn(next)
    },
    [name],
  )
  return [isOn, put]
}
