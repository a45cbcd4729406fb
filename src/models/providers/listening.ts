// Checks whether a server listens at a loopback address. Much cheaper than a request: the first `fetch` of a process is
// the slowest step of the start-up, and usually there is no local server.
import { connect } from "node:net"

/** True for other addresses. */
export function mayListen(baseURL: string, timeoutMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(baseURL)
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  if (!["127.0.0.1", "::1", "localhost"].includes(host)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const socket = connect({ host, port: port === "" ? defaultPort(protocol) : Number(port), timeout: timeoutMs })
    const settle = (listening: boolean) => {
      socket.destroy()
      resolve(listening)
    }
    socket.once("connect", () => settle(true))
    socket.once("error", () => settle(false))
    socket.once("timeout", () => settle(false))
  })
}

function defaultPort(protocol: string): number {
  return protocol === "https:" ? 443 : 80
}
