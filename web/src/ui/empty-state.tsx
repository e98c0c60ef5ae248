import type { ReactNode } from "react"

/** Says what is not there, why, and what to do about it. */
export function EmptyState({
  icon,
  title,
  children,
  actions,
}: {
  icon?: ReactNode
  title: string
  children?: ReactNode
  actions?: ReactNode
}) {
  return (
    <section className="mx-auto flex max-w-md flex-col items-center px-6 py-16 text-center">
      {icon === undefined ? null : <div className="mb-4 text-ink-3 [&_svg]:size-6 [&_svg]:stroke-[1.5]">{icon}</div>}
      <h2 className="text-md font-semibold text-balance">{title}</h2>
      {children === undefined ? null : (
        <div className="mt-1.5 flex flex-col gap-2 text-base text-pretty text-ink-2">{children}</div>
      )}
      {actions === undefined ? null : <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </section>
  )
}
