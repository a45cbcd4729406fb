// Connects to an MCP server once, as sessions do, asks what it has, and leaves. Everything within the start timeout of the
// server.
import type { Client } from "@modelcontextprotocol/client"
import { oneLine } from "../../contract/text/text.ts"
import type { ToolClass } from "../../contract/values.ts"
import { connectServer, type Connection, type ServerHandlers } from "../../mcp/connection/connect.ts"
import { ConnectFault } from "../../mcp/connection/faults.ts"
import { listPrompts, listResources, listTools, type ListedTool } from "../../mcp/listing/listing.ts"
import type { McpServer } from "../../mcp/mcp-server.ts"
import { NeedsLogin } from "../../mcp/oauth/needs-login.ts"
import { classOf } from "../../mcp/tools/server-tool.ts"
import type { Launch } from "../settings/server-launcher.ts"
import { timed } from "../timed.ts"

export interface ProbedTool {
  readonly name: string
  /** In sessions, with the trust that this server has. */
  readonly class: ToolClass
  /** The first line. */
  readonly description: string
  readonly annotations: Readonly<Record<string, boolean>>
}

export interface ServerReport {
  readonly kind: "answered"
  readonly protocolVersion: string
  readonly server: { readonly name: string; readonly version: string }
  readonly capabilities: readonly string[]
  readonly tools: readonly ProbedTool[]
  /** Tools that are not used, and why: clauses. */
  readonly problems: readonly string[]
  readonly prompts: readonly string[]
  readonly resources: number
  readonly connectMs: number
  /** Null if it does not answer pings. */
  readonly pingMs: number | null
}

export type Probe =
  | ServerReport
  | {
      readonly kind: "failed" | "unreachable" | "needs login"
      readonly error: string
      /** The last line of its stderr. */
      readonly stderr: string | null
    }

const MAX_ERROR_LENGTH = 500

/** Throws the reason of the signal, and faults of this program. */
export async function probeServer(server: McpServer, launch: Launch, signal: AbortSignal): Promise<Probe> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(server.startTimeoutMs)])
  const deps = { ...launch(server, "mcp-test", () => {}), handlers }
  try {
    const { value: connection, ms } = await timed(() => connectServer(server, deps, within))
    try {
      return await reportOf(server, connection, ms, within)
    } catch (fault) {
      throw connection.explain(fault)
    } finally {
      await connection.close()
    }
  } catch (fault) {
    signal.throwIfAborted()
    return failureOf(fault)
  }
}

/** A test makes no calls, so there is nothing that a server may ask for. */
const handlers: ServerHandlers = {
  elicit: () => Promise.resolve({ action: "decline" }),
  sample: () => Promise.reject(new Error("A test of a server answers no requests.")),
  changed: () => {},
}

async function reportOf(
  { isTrusted }: McpServer,
  connection: Connection,
  connectMs: number,
  signal: AbortSignal,
): Promise<ServerReport> {
  const { client, capabilities, server = { name: "", version: "" }, protocolVersion = "" } = connection
  const pingMs = await pinged(client, signal)
  const { items: tools, problems } = await listTools(connection, signal)
  const prompts = await listPrompts(connection, signal)
  const resources = await listResources(connection, signal)
  return {
    kind: "answered",
    protocolVersion,
    server: { name: server.name, version: server.version },
    capabilities: Object.keys(capabilities).toSorted(),
    tools: tools.map((tool) => probedTool(tool, isTrusted)),
    problems,
    prompts: prompts.map(({ name }) => name),
    resources: resources.length,
    connectMs,
    pingMs,
  }
}

/** The newest version of the protocol has no pings. */
async function pinged(client: Client, signal: AbortSignal): Promise<number | null> {
  const ping = () => (client.getProtocolEra() === "modern" ? client.discover({ signal }) : client.ping({ signal }))
  try {
    return (await timed<unknown>(ping)).ms
  } catch {
    signal.throwIfAborted()
    return null
  }
}

function probedTool(tool: ListedTool, isTrusted: boolean): ProbedTool {
  const { name, description, annotations } = tool
  return {
    name,
    class: classOf(tool, isTrusted),
    description: description.trim().split("\n")[0] ?? "",
    annotations,
  }
}

function failureOf(fault: unknown): Exclude<Probe, ServerReport> {
  if (fault instanceof NeedsLogin) return { kind: "needs login", error: fault.message, stderr: null }
  if (!(fault instanceof ConnectFault)) throw fault
  const { reason, stderr, isUnreachable } = fault
  return {
    kind: isUnreachable ? "unreachable" : "failed",
    error: oneLine(reason, MAX_ERROR_LENGTH),
    stderr: stderr === undefined ? null : oneLine(stderr, MAX_ERROR_LENGTH),
  }
}
