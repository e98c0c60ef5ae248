/** Databases of the browser for the address of Chorus, with one store each and keys chosen by the caller. */

const REFUSED = "The browser refused to keep it."

/** Runs one operation in a store; resolves when the result is stored. Rejects if the browser stores nothing. */
export async function inStore<T>(
  { database, store }: { database: string; store: string },
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(database, 1)
  opening.addEventListener("upgradeneeded", () => void opening.result.createObjectStore(store))
  const opened = await done(opening)
  try {
    const transaction = opened.transaction(store, mode)
    const isOver = new Promise<void>((resolve, reject) => {
      transaction.addEventListener("complete", () => resolve())
      transaction.addEventListener("abort", () => reject(transaction.error ?? new Error(REFUSED)))
    })
    const [result] = await Promise.all([done(act(transaction.objectStore(store))), isOver])
    return result
  } finally {
    opened.close()
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result))
    request.addEventListener("error", () => reject(request.error ?? new Error(REFUSED)))
  })
}
