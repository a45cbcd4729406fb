// MCP over HTTP: the SDK's transport with bounds, an end that does not wait, an event stream that is opened again, and an
// answer for every request, also for one whose response breaks off.
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { JSONRPCMessage } from "@modelcontextprotocol/client"
import { boundedFetch, type Fetch } from "./bounded-fetch.ts"
import { EventStream } from "./event-stream.ts"
import { ConnectFault } from "./faults.ts"
import type { OpenTransport } from "./open-transport.ts"

/** Time for the end of a session at the server. */
const GOODBYE_MS = 1000
/** Code of the answer to a request whose response broke off. Servers cannot send it: their codes are small. */
export const connectionCut = -9_007_199_254_740_991

export interface HttpTransportDeps {
  /** Default: without a login. */
  readonly fetch: Fetch | undefined
  /** The stream of the server's own messages was lost and is open again. */
  readonly onReopened: () => void
}

export async function httpTransport(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { fetch: plainFetch, onReopened }: HttpTransportDeps,
): Promise<OpenTransport> {
  const { StreamableHTTPClientTransport: HttpTransport } = await import("@modelcontextprotocol/client")
  let problem: ConnectFault | undefined
  const onProblem = (found: string) => {
    problem = new ConnectFault(found)
    void transport.close()
  }
  const events = new EventStream(boundedFetch(onProblem, plainFetch), onReopened)
  const transport = new HttpTransport(url, { requestInit: { headers }, fetch: events.fetch })
  answerCutRequests(transport, events)
  return { transport, closed: () => problem, lastStderrLine: () => undefined, end: () => end(transport) }
}

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1]

/** The SDK would wait for its timeout. An answer that came before the end of the response wins. */
function answerCutRequests(transport: StreamableHTTPClientTransport, events: EventStream): void {
  const send = transport.send.bind(transport)
  const withEnd = (message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions) => {
    const id = Array.isArray(message) || !("method" in message) || !("id" in message) ? undefined : message.id
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.()
      const error = { code: connectionCut, message: "it closed the connection" }
      if (id !== undefined) transport.onmessage?.({ jsonrpc: "2.0", id, error })
    }
    const onresumptiontoken = (eventId: string) => {
      events.noteResponseEvent(eventId)
      options?.onresumptiontoken?.(eventId)
    }
    return send(message, { ...options, onRequestStreamEnd, onresumptiontoken })
  }
  Object.assign(transport, { send: withEnd })
}

async function end(transport: StreamableHTTPClientTransport): Promise<void> {
  const goodbye = transport.sessionId === undefined ? Promise.resolve() : transport.terminateSession()
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, GOODBYE_MS)
  await Promise.race([goodbye.catch(() => {}), timeout.promise]) // a server need not know of sessions
  clearTimeout(timer)
  await transport.close()
}
