import { type Backend, ProblemError } from "@/api/backend"
import type { ExportedFile, ReplayMoment } from "@/api/schema"
import { changed, STEPS } from "@/features/transcript/replay/moments"

type ReplayBackend = Pick<Backend, "replay" | "replayMoments" | "replayState" | "replayStep">

/** The replay of a conversation from the moments in an exported file. */
export function exportedReplay({ timeline, moments }: Pick<ExportedFile, "timeline" | "moments">): ReplayBackend {
  const all = moments.flatMap(({ ids, at_ms, steps }) => ids.map((id, index) => ({ id, at_ms: at_ms[index] ?? 0, steps: steps[index] ?? 0 })))

  const momentAt = (number: number): ReplayMoment => {
    const found = all[number]
    if (found === undefined) return none("This moment is not in this file")
    return { id: found.id, number, at_ms: found.at_ms, time: found.id.split("!")[0] || null }
  }
  /** The number of the last moment that is not after a place: the id of a moment or of a record, or a time. */
  const numberOf = (at: string): number => {
    // A time stands for all moments that begin with it.
    const end = at.includes("!") ? at : `${at}\uffff`
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((all[middle]?.id ?? "") <= end) low = middle + 1
      else high = middle
    }
    return low === 0 ? none("This moment is not in this file") : low - 1
  }

  return {
    replay: () => Promise.resolve(timeline),
    replayMoments: async (_, first) => {
      const chunk = moments[Math.floor(Math.max(0, first) / timeline.chunk)]
      return chunk ?? none("This moment is not in this file")
    },
    replayState: async (_, at) => {
      const number = numberOf(at)
      const chunk = moments[Math.floor(number / timeline.chunk)] ?? none("This moment is not in this file")
      const panel = chunk.changes.filter(({ moment }) => moment <= number).reduce(changed, chunk.panel)
      return { version: timeline.version, moment: momentAt(number), panel }
    },
    replayStep: async (_, at, to, isBack) => {
      const start = numberOf(at)
      const step = isBack ? -1 : 1
      for (let number = start + step; number >= 0 && number < all.length; number += step) {
        if (((all[number]?.steps ?? 0) & STEPS[to]) !== 0) return momentAt(number)
      }
      return none(`There is no ${isBack ? "earlier" : "later"} ${to}`)
    },
  }
}

function none(message: string): never {
  throw new ProblemError({ kind: "no_moment", message, at: null })
}
