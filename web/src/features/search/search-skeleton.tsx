import { Skeleton } from "@/ui/skeleton"

const WIDTHS = ["w-4/5", "w-2/3", "w-11/12", "w-3/4", "w-5/6", "w-3/5"]

/** A placeholder for hits, in their size. */
export function SearchSkeleton() {
  return (
    <div role="status" aria-label="Searching" className="flex-1 overflow-hidden">
      {WIDTHS.map((width) => (
        <div key={width} className="flex h-[5.5rem] compact:h-18 flex-col justify-center gap-2.5 border-b border-line px-4 md:px-5">
          <Skeleton className="h-3 w-1/3" />
          <Skeleton className={`h-3 ${width}`} />
          <Skeleton className="h-2.5 w-1/4" />
        </div>
      ))}
    </div>
  )
}
