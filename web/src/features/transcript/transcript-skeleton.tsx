import { Skeleton } from "@/ui/skeleton"

/** A placeholder for the header, with the same height. */
export function HeaderSkeleton() {
  return (
    <div className="session-header" role="status" aria-label="Opening the conversation">
      <Skeleton className="my-0.5 ml-9 h-6 w-1/3" />
      <Skeleton className="my-0.5 ml-9 h-3.5 w-1/2" />
    </div>
  )
}

export function RowsSkeleton() {
  return (
    <div className="rows-skeleton" role="status" aria-label="Loading messages">
      <Skeleton className="h-16 w-full rounded-lg" />
      <Skeleton className="h-4 w-24" />
      <Skeleton className="h-4 w-full" />
      <Skeleton className="h-4 w-4/5" />
      <Skeleton className="h-8 w-full" />
      <Skeleton className="h-8 w-full" />
      <Skeleton className="h-4 w-3/5" />
      <Skeleton className="h-16 w-full rounded-lg" />
      <Skeleton className="h-4 w-5/6" />
    </div>
  )
}
