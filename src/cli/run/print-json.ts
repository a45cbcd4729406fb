// A session as NDJSON: stored events (with `seq`), deltas (without), and for a client that joins during a text the part
// before (`text.streamed`).
import { encodeEvent } from "../../contract/stored-event.ts"
import type { WatchItem } from "../../contract/host-port.ts"

export function printJson(item: WatchItem): void {
  switch (item.kind) {
    case "event":
      return print(encodeEvent(item.recorded))
    case "delta":
      return print(JSON.stringify(item.delta))
    case "streamed":
      for (const { block, kind, text } of item.blocks)
        print(JSON.stringify({ type: `${kind}.streamed`, stepId: item.stepId, block, text }))
      return
    case "lost":
      return // reported by the exit code and on stderr
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
