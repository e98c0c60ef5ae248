import { ExternalLink } from "lucide-react"
import type { ReactNode } from "react"
import { cx } from "./cx"
import { safeHref } from "./href"
import { tip } from "./tooltip"

/**
 * The only component for links that leave the application. Untrusted text decides neither the scheme (only http, https
 * and mailto) nor what the reader believes: the target is shown on hover, and next to the link if its words look like
 * another address.
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
