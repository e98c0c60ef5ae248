import { useRouter } from "@tanstack/react-router"
import type { ComponentProps, MouseEvent } from "react"

type PlaceLinkProps = Omit<ComponentProps<"a">, "href"> & { href: string }

/**
 * A link inside the application by its address. Lists with thousands of rows use it: the link of the router computes
 * its state on every render, which would be most of the cost of a row.
 */
export function PlaceLink({ href, onClick, children, ...rest }: PlaceLinkProps) {
  const { history } = useRouter()
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    // The browser handles other clicks: a new tab, a download, the context menu.
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
