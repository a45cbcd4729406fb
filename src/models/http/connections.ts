// Connections that are kept for the next request. Node's modules for them are loaded with the first address that needs them.
import type { Agent, AgentOptions, request } from "node:http"

/** A server may close an idle connection in the same moment in which it is used again: it gets little time for that. */
const IDLE_MS = 4000

export interface Connections {
  readonly request: typeof request
  readonly agent: Agent
}

const opened = new Map<string, Promise<Connections>>()

/** `protocol`: of a URL. */
export function connectionsFor(protocol: string): Promise<Connections> {
  const connections = opened.get(protocol) ?? (protocol === "https:" ? encrypted() : plain())
  opened.set(protocol, connections)
  return connections
}

/** An import reads all exports of a module, and one of node:http loads the platform's own client. */
async function plain(): Promise<Connections> {
  const http = process.getBuiltinModule("node:http")
  return { request: http.request, agent: new http.Agent(agentOptions()) }
}

async function encrypted(): Promise<Connections> {
  const https = await import("node:https")
  return { request: https.request, agent: new https.Agent(agentOptions()) }
}

/** As Node's own clients, with its variable for proxies. */
function agentOptions(): AgentOptions {
  const usesProxy = process.env["NODE_USE_ENV_PROXY"] === "1"
  return { keepAlive: true, timeout: IDLE_MS, ...(usesProxy ? { proxyEnv: process.env } : {}) }
}
