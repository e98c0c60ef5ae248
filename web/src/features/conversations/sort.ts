/** What the list is ordered by, as the address of the page has it. Pure. */

import type { Order } from "@/api/backend"

export interface Sort {
  order: Order
  isRising: boolean
}

export const ORDERS: readonly Order[] = ["time", "cost", "tokens", "messages", "duration"]

const SORTS = ORDERS.map((order) => [{ order, isRising: false }, { order, isRising: true }] as const)

export const BY_TIME: Sort = sortNamed("")

/** `cost` or `-cost` for rising; whatever else is the newest first. Always the same object for the same text. */
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

/** What a click on a heading asks for: the most first, and then the least. */
export function clicked(sort: Sort, order: Order): Sort {
  return sortNamed(sort.order === order && !sort.isRising ? `-${order}` : order)
}
