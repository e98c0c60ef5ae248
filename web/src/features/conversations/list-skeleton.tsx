import { Skeleton } from "@/ui/skeleton"

const WIDTHS = ["w-2/5", "w-3/5", "w-1/2", "w-1/3", "w-2/3", "w-5/12", "w-1/2", "w-3/5", "w-2/5", "w-1/3", "w-1/2", "w-3/5"]

/** A placeholder for the list: rows of the same height. */
export function ListSkeleton() {
  return (
    <div role="status" aria-label="Loading conversations" className="pt-8">
      {WIDTHS.map((width, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they are all alike
        <div key={index} className="flex h-14 items-center gap-4 px-4 md:h-9 md:px-5 compact:h-11 md:compact:h-7">
          <Skeleton className="h-3 w-4 shrink-0 md:w-24" />
          <span className="flex-1">
            <Skeleton className={`h-3 ${width}`} />
          </span>
          <Skeleton className="hidden h-3 w-40 md:block" />
          <Skeleton className="hidden h-3 w-16 md:block" />
          <Skeleton className="h-3 w-10" />
        </div>
      ))}
    </div>
  )
}
