import { useRouter } from "@tanstack/react-router"
import type { ComponentProps, MouseEvent } from "react"

type PlaceLinkProps = Omit<ComponentProps<"a">, "href"> & { href: string }

/**
 * A link inside the application by its address. Lists of thousands use it: the router's own link works out its state
 * on every render, which is most of what a row would cost.
 */
export function PlaceLink({ href, onClick, children, ...rest }: PlaceLinkProps) {
  const { history } = useRouter()
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    // Other clicks are the browser's: a new tab, a download, the menu.
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    history.push(href)
  }
  return (
    <a href={href} onClick={open} {...rest}>
      {children}
    </a>
  )
}
