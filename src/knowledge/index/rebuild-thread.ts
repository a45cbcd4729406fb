// Worker thread that rebuilds an index of an older release, while searches are answered that this is going on.
import { workerData } from "node:worker_threads"
import { openForWriting } from "./schema.ts"

export interface RebuildThreadData {
  readonly path: string
}

function rebuild({ path }: RebuildThreadData): void {
  openForWriting(path).close()
}

rebuild(workerData)
