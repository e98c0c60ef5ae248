/** The order of the list, as in the address of the page. Pure. */

import type { Order } from "@/api/backend"

export interface Sort {
  order: Order
  isRising: boolean
}

export const ORDERS: readonly Order[] = ["time", "cost", "tokens", "messages", "duration"]

const SORTS = ORDERS.map((order) => [{ order, isRising: false }, { order, isRising: true }] as const)

export const BY_TIME: Sort = sortNamed("")

/**
 * Reads `cost`, or `-cost` for ascending order; any other text means newest first. Returns the same object for the same
 * text.
 */
export function sortNamed(text: string): Sort {
  const [falling, rising] = SORTS.find(([{ order }]) => order === text.replace(/^-/, "")) ?? [SORTS[0]?.[0], undefined]
  const found = text.startsWith("-") ? rising : falling
  return found ?? SORTS[0]?.[0] ?? { order: "time", isRising: false }
}

export function nameOf({ order, isRising }: Sort): string | undefined {
  return order === "time" && !isRising ? undefined : `${isRising ? "-" : ""}${order}`
}

export function isByTime({ order, isRising }: Sort): boolean {
  return order === "time" && !isRising
}

/** Returns the order after a click on a heading: first descending, then ascending. */
export function clicked(sort: Sort, order: Order): Sort {
  return sortNamed(sort.order === order && !sort.isRising ? `-${order}` : order)
}
