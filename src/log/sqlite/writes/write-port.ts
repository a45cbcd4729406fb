// Where a log sends its writes: a writer in this process (in-place-writer.ts) or the writer process of the home.
import type { WriteAnswer, WriteRequest } from "./write-request.ts"

export interface WritePort {
  /** Resolves when the request is on disk, or refused. Rejects only on a fault of this program. */
  send(request: WriteRequest): Promise<WriteAnswer>
  /** The database needs a writer before it can be read: to be migrated, or recovered after a kill. */
  prepare(): Promise<void>
  /** What was sent before is still written and answered. */
  close(): Promise<void>
}
