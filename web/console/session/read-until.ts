// Finds the item of a transcript that an event belongs to, and reads earlier turns until it is there.
import type { Place } from "../state/route.ts"
import type { SessionStore } from "../state/session-store.ts"

/** Parts of a transcript that are read for one place. */
const MAX_PARTS = 500

export interface FoundItem {
  readonly key: string
  /** In the items that were read. */
  readonly at: number
}

type Items = Pick<SessionStore, "keys" | "item" | "model" | "readEarlier">

/** Undefined if there is no such item, or when `isWanted` says so. */
export async function readUntil(store: Items, place: Place, isWanted: () => boolean): Promise<FoundItem | undefined> {
  for (let part = 0; part < MAX_PARTS && isWanted(); part += 1) {
    const [first] = store.keys.value
    const isRead = first !== undefined && (store.item(first)?.value.seq ?? 0) <= place.seq
    if (isRead || store.model.value?.hasEarlier !== true) return itemAt(store, place)
    if (!(await store.readEarlier())) return itemAt(store, place)
    await new Promise((resolve) => requestAnimationFrame(resolve)) // the items are drawn with the next frame
  }
  return undefined
}

/** The prompt that was delivered next, or the newest item that had begun. */
function itemAt(store: Items, { seq, isPrompt }: Place): FoundItem | undefined {
  const items = store.keys.value.flatMap((key, at) => {
    const value = store.item(key)?.value
    return value === undefined ? [] : [{ key, at, kind: value.kind, seq: value.seq }]
  })
  const found = isPrompt
    ? items.find((one) => one.kind === "user" && one.seq >= seq)
    : items.findLast((one) => one.seq <= seq)
  return found ?? items[0]
}
