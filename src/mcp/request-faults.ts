// Why a request to a server has no result, as a sentence for the model. What the server says about it is marked: it is as
// little to be trusted as a result.
import { messageOf } from "../contract/faults.ts"
import { isNetworkFault } from "./connection/faults.ts"
import { connectionCut } from "./connection/http-transport.ts"
import type { McpServer } from "./mcp-server.ts"

export type Answered<Result> = { readonly kind: "result"; readonly result: Result } | Failed

export interface Failed {
  readonly kind: "failed"
  /** A sentence. */
  readonly reason: string
  /** It may hold text of the server. */
  readonly isOfServer?: true
}

interface RequestPlace {
  readonly server: McpServer
  readonly signal: AbortSignal
  /** Aborted when the time for the answer is over. Without it the time of the SDK counts. */
  readonly expired: AbortSignal | undefined
  /** Resolves when the connection has ended. */
  readonly ended: Promise<Failed>
  /** Gets a fault that is neither an answer of the server nor its end. */
  readonly onFault: (fault: unknown) => void
  /** The connection cannot be used any more, and why: a clause. */
  readonly onLost: (reason: string) => void
}

/** Over HTTP, where a server that was started again does not know the session: 404 by the protocol, 400 by many servers. */
const unknownSession = new Set([400, 404, 410])

export async function failedRequest(fault: unknown, place: RequestPlace): Promise<Failed> {
  const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } = await import("@modelcontextprotocol/client")
  const { server, signal, expired, ended, onFault, onLost } = place
  const { name, callTimeoutMs } = server
  if (signal.aborted) return { kind: "failed", reason: "The call was cancelled." }
  if (fault instanceof SdkError && fault.code === SdkErrorCode.ConnectionClosed) return ended
  if (expired?.aborted === true || (fault instanceof SdkError && fault.code === SdkErrorCode.RequestTimeout))
    return {
      kind: "failed",
      reason: `MCP server '${name}' did not answer in ${callTimeoutMs / 1000} s; what it did is unknown.`,
    }
  if (fault instanceof ProtocolError && fault.code === connectionCut) return cutRequest(name, fault.message)
  if (fault instanceof ProtocolError) return ofServer(`MCP server '${name}' refused: ${fault.message}`)
  if (fault instanceof SdkError && fault.code === SdkErrorCode.InvalidResult) {
    onFault(new Error("an answer did not follow the protocol")) // the SDK's words are a page of JSON
    return ofServer(`MCP server '${name}' answered, but not as the protocol wants; what it did is unknown.`)
  }
  if (fault instanceof SdkHttpError && unknownSession.has(fault.status)) {
    onLost("it no longer knows the connection")
    return ofServer(`MCP server '${name}' no longer knows the connection. It is connected again for the next call.`)
  }
  if (server.kind === "http" && isNetworkFault(fault)) {
    onLost("it cannot be reached")
    return cutRequest(name, "it cannot be reached")
  }
  onFault(fault)
  return ofServer(`The request to MCP server '${name}' failed: ${messageOf(fault)}`)
}

/** The connection ended: `reason` is a clause. */
export function cutRequest(server: string, reason: string): Failed {
  return ofServer(`MCP server '${server}' ended before it answered (${reason}); what it did is unknown.`)
}

export function ofServer(reason: string): Failed {
  return { kind: "failed", reason, isOfServer: true }
}
