import { createContext, useContext } from "react"
import type { ImageBlock, TextPiece } from "./shapes"

/** Provides what is not contained in the blocks of a row. */
export interface BlockSource {
  /** Returns the address of an image on the server of Chorus; null if it has none. */
  imageAddress(block: ImageBlock): string | null
  /** Loads the row again with uncut texts; null if nothing was cut. */
  loadWhole: (() => Promise<void>) | null
  sideFile(name: string, start: number): Promise<TextPiece>
  sideFileAddress(name: string): string
}

const NOTHING: BlockSource = {
  imageAddress: () => null,
  loadWhole: null,
  sideFile: () => Promise.reject(new Error("there is no server to ask")),
  sideFileAddress: () => "",
}

export const BlockSourceContext = createContext<BlockSource>(NOTHING)

export function useBlockSource(): BlockSource {
  return useContext(BlockSourceContext)
}
