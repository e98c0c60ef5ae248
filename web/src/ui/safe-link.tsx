import { ExternalLink } from "lucide-react"
import type { ReactNode } from "react"
import { cx } from "./cx"
import { safeHref } from "./href"
import { tip } from "./tooltip"

/**
 * The only way a link out of the application is made. Text decides neither the scheme (http, https and mailto only)
 * nor what the reader believes: where it goes is said on hover, and beside it when the words look like another place.
 */
export function SafeLink({ href, children, className }: { href: string; children: ReactNode; className?: string }) {
  const safe = safeHref(href)
  if (safe === null) {
    return (
      <span className={className} {...tip("This link is dead: only http, https and mailto are followed")}>
        {children}
      </span>
    )
  }
  return (
    <a
      href={safe.href}
      target="_blank"
      rel="noopener noreferrer"
      className={cx("text-accent underline decoration-current/30 underline-offset-2 hover:decoration-current", className)}
      {...tip(`Opens ${safe.place}`)}
    >
      {children}
      <ExternalLink aria-hidden className="ml-0.5 inline size-3 align-[-0.1em] opacity-70" />
      <span className="sr-only"> (opens {safe.place})</span>
    </a>
  )
}
