// `turnhouse/client` for Node: the same library, with the WebSocket of the package `ws` where Node has none (20 and 21).
import { connect as connectWith, type ClientSession } from "./client-session.ts"
import type { ConnectOptions } from "./options.ts"

export * from "./index.ts"

export async function connect(url: string | URL, options: ConnectOptions): Promise<ClientSession> {
  const { WebSocket = "WebSocket" in globalThis ? globalThis.WebSocket : (await import("ws")).WebSocket } = options
  return connectWith(url, { ...options, WebSocket })
}
