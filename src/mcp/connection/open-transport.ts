// A transport that a connection uses and ends.
import type { Transport } from "@modelcontextprotocol/client"
import type { ConnectFault } from "./faults.ts"

export interface OpenTransport {
  readonly transport: Transport
  /** Why it closed, if it did. */
  readonly closed: () => ConnectFault | undefined
  /** Of its process, if it has one. */
  readonly pid?: number
  /** The last line that its process printed on stderr. */
  readonly lastStderrLine: () => string | undefined
  readonly end: () => Promise<void>
}
