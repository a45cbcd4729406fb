// A session as NDJSON: events as they are stored (they have a `seq`), deltas as they pass (they have none), and for
// whoever joins in the middle of a text what was said before (`text.streamed`).
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
      return // the exit code and a line on stderr say so
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
