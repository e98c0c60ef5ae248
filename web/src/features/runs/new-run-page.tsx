import { useQuery } from "@tanstack/react-query"
import { FolderPlus } from "lucide-react"
import { useBackend } from "@/api/follow"
import type { RunShown } from "@/api/schema"
import { EmptyState } from "@/ui/empty-state"
import { ErrorState } from "@/ui/error-state"
import { Skeleton } from "@/ui/skeleton"
import { Words } from "@/ui/words"
import { NewRunForm } from "./new-run-form"
import { Refusal } from "./refusal"

/** The page is polled, so that it continues automatically after an action in the terminal. */
const ASK_AGAIN_MS = 3000

/** The page that starts an agent: the place, the agent, and its task. */
export default function NewRunPage({ wish, onStarted }: { wish: string | null; onStarted: (run: RunShown) => void }) {
  const backend = useBackend()
  const { data, error, refetch } = useQuery({
    queryKey: ["places"],
    queryFn: ({ signal }) => backend.places(signal),
    refetchInterval: ({ state }) =>
      state.data && (state.data.trouble !== "" || state.data.places.length === 0) ? ASK_AGAIN_MS : false,
  })

  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-5 md:px-5 md:py-8">
        <h1 className="text-xl font-semibold tracking-tight">Start an agent</h1>
        {data === undefined ? (
          error === null ? (
            <Skeleton className="h-64" />
          ) : (
            <ErrorState title="The places cannot be read" message={error.message} onRetry={() => void refetch()} />
          )
        ) : (
          <>
            <Refusal trouble={data.trouble === "" ? null : { kind: "no_client", message: data.trouble }} />
            {data.places.length === 0 ? (
              <NoPlaces />
            ) : (
              <NewRunForm places={data.places} models={data.models} modes={data.modes} isAble={data.trouble === ""} wish={wish} onStarted={onStarted} />
            )}
          </>
        )}
      </div>
    </div>
  )
}

function NoPlaces() {
  return (
    <div className="rounded-lg border border-dashed border-line-strong [&>section]:py-8">
      <EmptyState icon={<FolderPlus />} title="No folder to work in yet">
        <p>
          <Words text="Agents are started in folders that you named, or in which a session worked before. Name one: in a terminal, in that folder, call `chorus workspace add .`; it appears here by itself." />
        </p>
      </EmptyState>
    </div>
  )
}
