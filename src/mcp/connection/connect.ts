// Connects to an MCP server, over the pipes of a process that it starts or over HTTP, and ends the connection. Knows
// nothing of sessions: what a server asks for goes to the handlers of the owner.
import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
} from "@modelcontextprotocol/client"
import type { Client, ServerCapabilities } from "@modelcontextprotocol/client"
import type * as Sdk from "@modelcontextprotocol/client"
import { shortened } from "../../contract/text/text.ts"
import type { GatedProcess } from "../../processes/gated-process.ts"
import type { McpServer } from "../mcp-server.ts"
import type { Fetch } from "./bounded-fetch.ts"
import { ConnectFault, connectFault } from "./faults.ts"
import { followToolChanges } from "./follow-changes.ts"
import type { NeedsLogin } from "../oauth/needs-login.ts"
import { httpTransport } from "./http-transport.ts"
import type { OpenTransport } from "./open-transport.ts"
import { ProcessTransport } from "./process-transport.ts"

export interface ConnectDeps {
  /** Version of this program. */
  readonly release: string
  /** Starts the server's process behind its gate. Throws ConnectFault if it must not run. */
  readonly spawn: (server: McpServer) => Promise<GatedProcess>
  /** Requests to a server over HTTP, with the stored login of the user. Default: without one. */
  readonly fetchFor?: (server: McpServer) => Fetch
  /** Gets what the server prints on stderr and what it logs. */
  readonly debug: (line: string) => void
  readonly handlers: ServerHandlers
}

/** What a server may ask for and tell. */
export interface ServerHandlers {
  elicit(params: ElicitRequest["params"], signal: AbortSignal): Promise<ElicitResult>
  sample(params: CreateMessageRequest["params"], signal: AbortSignal): Promise<CreateMessageResult>
  /** A list changed on the server. */
  changed(list: "tools" | "prompts" | "resources"): void
}

export interface Connection {
  readonly client: Client
  readonly capabilities: ServerCapabilities
  /** What the server calls itself. */
  readonly server: { readonly name: string; readonly version: string } | undefined
  readonly protocolVersion: string | undefined
  readonly instructions: string | undefined
  /** Of its process. Absent for a server at an address. */
  readonly pid: number | undefined
  /** Resolves with the reason when the connection has ended. */
  readonly closed: Promise<ConnectFault>
  /** Why a request failed that was made to find out what the server has. */
  explain(fault: unknown): ConnectFault | NeedsLogin
  close(): Promise<void>
}

/** Time for the question whether a server over HTTP speaks the newest version of the protocol. */
const PROBE_MS = 5000
/** Characters of a log message of a server. */
const MAX_LOG_LENGTH = 1000
/** Characters of the name and the version of a server. */
const MAX_SERVER_TEXT = 100

/** Throws ConnectFault or NeedsLogin; then nothing is left behind. */
export async function connectServer(server: McpServer, deps: ConnectDeps, signal: AbortSignal): Promise<Connection> {
  const sdk = await import("@modelcontextprotocol/client")
  const opened = await openTransport(server, deps)
  const client = newClient(sdk, server, deps)
  const closed = Promise.withResolvers<ConnectFault>()
  const explain = (fault: unknown) =>
    connectFault(fault, server, { sdk, closed: opened.closed(), stderr: opened.lastStderrLine(), signal })
  Object.assign(client, {
    onclose: () => closed.resolve(opened.closed() ?? new ConnectFault("the connection ended")),
    onerror: ({ message }: Error) => {
      if (!message.includes("unknown message ID")) deps.debug(`(${message.slice(0, MAX_LOG_LENGTH)})`) // a late answer
    },
  })
  const ending = new AbortController()
  void closed.promise.then(() => ending.abort())
  const close = async () => {
    ending.abort()
    await opened.end().catch((fault: unknown) => deps.debug(`(at the end: ${String(fault)})`))
    closed.resolve(new ConnectFault("it was stopped"))
  }
  try {
    await untilAborted(client.connect(opened.transport, { timeout: server.startTimeoutMs, signal }), signal)
  } catch (fault) {
    const explained = explain(fault)
    await close()
    throw explained
  }
  const capabilities = client.getServerCapabilities() ?? {}
  if (client.getProtocolEra() === "modern" && capabilities.tools?.listChanged === true)
    void followToolChanges(client, () => deps.handlers.changed("tools"), ending.signal)
  return {
    client,
    capabilities,
    server: shownServer(client),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    pid: opened.pid,
    closed: closed.promise,
    explain,
    close,
  }
}

function newClient(
  { Client: SdkClient }: typeof Sdk,
  server: McpServer,
  { release, handlers, debug }: ConnectDeps,
): Client {
  const client = new SdkClient(
    { name: "turnhouse", version: release },
    {
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
      ...(server.kind === "http"
        ? { versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(PROBE_MS, server.startTimeoutMs) } } }
        : {}),
    },
  )
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => handlers.elicit(params, mcpReq.signal))
  client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) => handlers.sample(params, mcpReq.signal))
  client.setNotificationHandler("notifications/tools/list_changed", () => handlers.changed("tools"))
  client.setNotificationHandler("notifications/prompts/list_changed", () => handlers.changed("prompts"))
  client.setNotificationHandler("notifications/resources/list_changed", () => handlers.changed("resources"))
  client.setNotificationHandler("notifications/message", ({ params }) => {
    debug(`${params.level}: ${JSON.stringify(params.data).slice(0, MAX_LOG_LENGTH)}`)
  })
  return client
}

function shownServer(client: Client): Connection["server"] {
  const { name, version } = client.getServerVersion() ?? {}
  if (name === undefined || version === undefined) return undefined
  return { name: shortened(name, MAX_SERVER_TEXT), version: shortened(version, MAX_SERVER_TEXT) }
}

async function openTransport(server: McpServer, deps: ConnectDeps): Promise<OpenTransport> {
  return server.kind === "http" ? openHttp(server, deps) : openProcess(server, deps)
}

async function openProcess(server: McpServer, deps: ConnectDeps): Promise<OpenTransport> {
  const { parseJSONRPCMessage } = await import("@modelcontextprotocol/client")
  const gated = await deps.spawn(server)
  const transport = new ProcessTransport(gated, { parse: parseJSONRPCMessage, debug: deps.debug })
  return {
    transport,
    pid: gated.process.pid,
    closed: () => exitFault(transport, server),
    lastStderrLine: () => transport.lastStderrLine,
    end: () => transport.close(),
  }
}

/** The shell exits with 126 or 127 when it cannot exec the program. */
function exitFault(transport: ProcessTransport, { command }: McpServer): ConnectFault | undefined {
  const { closeReason, exitCode, lastStderrLine: stderr } = transport
  if (closeReason === undefined) return undefined
  if (exitCode === 127) return new ConnectFault(`its program ${command} was not found`)
  if (exitCode === 126) return new ConnectFault(`its program ${command} cannot be run`)
  return new ConnectFault(closeReason, { stderr })
}

async function openHttp(server: McpServer, deps: ConnectDeps): Promise<OpenTransport> {
  const { url, headers = {} } = server
  if (url === undefined) throw new ConnectFault("it has no address")
  const onReopened = () => deps.handlers.changed("tools")
  return httpTransport(new URL(url), headers, { fetch: deps.fetchFor?.(server), onReopened })
}

/** Does not wait for a server that ignores the signal. */
async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener("abort", onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener("abort", onAbort)
    work.catch(() => {}) // it may fail later, when no one waits
  }
}
