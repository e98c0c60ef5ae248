import { createContext, useContext } from "react"
import type { ImageBlock, TextPiece } from "./shapes"

/** Where the blocks of a row get what is not in them. */
export interface BlockSource {
  /** The address of a picture on our own server; null when it has none. */
  imageAddress(block: ImageBlock): string | null
  /** Loads the row again with texts that are not cut; null when there is no more to be had. */
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
