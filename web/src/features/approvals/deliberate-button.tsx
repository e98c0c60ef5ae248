import { type ComponentProps, useRef } from "react"
import { Button } from "@/ui/button"
import { cx } from "@/ui/cx"
import type { Still } from "@/ui/still"

type DeliberateProps = Omit<ComponentProps<typeof Button>, "onClick" | "disabled"> & {
  still: Still
  isReady: boolean
  onPress: () => void
}

/**
 * A button that decides something. Only a press that was meant for it counts: one that began and ended when it had been
 * standing still, no second click of a double click, and no key that is held down. It can be reached by keyboard while
 * it does not take a press, and says so.
 */
export function DeliberateButton({ still, isReady, onPress, className, ...rest }: DeliberateProps) {
  /** Whether the press under way began when it counted; null where nothing tells when it began. */
  const hasBegun = useRef<boolean | null>(null)
  const counts = (time: number) => isReady && still.isStillAt(time)
  return (
    <Button
      {...rest}
      aria-disabled={!isReady || !still.isStill}
      className={cx("aria-disabled:cursor-default aria-disabled:opacity-45", className)}
      onPointerDown={(event) => {
        hasBegun.current = event.isPrimary && counts(event.timeStamp)
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return
        if (event.repeat) event.preventDefault()
        else hasBegun.current = counts(event.timeStamp)
      }}
      onClick={({ detail, timeStamp }) => {
        // A screen reader clicks without a pointer or a key, and then nothing is counted (0).
        const isMeant = detail <= 1 && (hasBegun.current ?? detail === 0)
        hasBegun.current = null
        if (isMeant && counts(timeStamp)) onPress()
      }}
    />
  )
}
