// A session as NDJSON: events as they are stored (they have a `seq`), deltas as they pass (they have none).
import { encodeEvent } from "../../contract/stored-event.ts"
import type { WatchItem } from "../../contract/house-port.ts"

export function printJson(item: WatchItem): void {
  if (item.kind === "event") process.stdout.write(`${encodeEvent(item.recorded)}\n`)
  if (item.kind === "delta") process.stdout.write(`${JSON.stringify(item.delta)}\n`)
}
