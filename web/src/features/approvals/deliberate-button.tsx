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
 * A button for a decision. Only a deliberate press counts: it began and ended after the button had been still for a
 * while, it is not the second click of a double click, and not a key that is held down. While the button does not
 * accept a press, it can still have the focus, and says so.
 */
export function DeliberateButton({ still, isReady, onPress, className, ...rest }: DeliberateProps) {
  /** Whether the current press began when presses counted; null if its beginning is unknown. */
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
        // A screen reader clicks without a pointer or a key; the click count is then 0.
        const isMeant = detail <= 1 && (hasBegun.current ?? detail === 0)
        hasBegun.current = null
        if (isMeant && counts(timeStamp)) onPress()
      }}
    />
  )
}
