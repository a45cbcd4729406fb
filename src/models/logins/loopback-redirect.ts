// Receives the redirect that ends a login in the browser: a socket on the loopback address accepts one answer, under a path
// or with a state that only this login knows.
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { LoginFault } from "./login-store.ts"

export interface RedirectRequest {
  readonly host: "localhost" | "127.0.0.1"
  /** Tried in this order; 0 is any free one. */
  readonly ports: readonly number[]
  /** Must come back unchanged. Absent where the server returns none: then the path is secret. */
  readonly state?: string | undefined
  readonly signal: AbortSignal
  /** Shows the user where to log in. The server must redirect to `redirectUri`. */
  readonly begin: (redirectUri: string) => Promise<void> | void
}

export interface RedirectedCode {
  readonly code: string
  /** The server that gave the code, by its own account (RFC 9207). */
  readonly issuer: string | undefined
}

/** Throws LoginFault if the login was denied, and the reason of the signal. */
export async function redirectedCode(request: RedirectRequest): Promise<RedirectedCode> {
  const { host, ports, state, signal, begin } = request
  signal.throwIfAborted()
  const server = createServer()
  const port = await listen(server, ports)
  const path = state === undefined ? `/callback/${randomBytes(16).toString("base64url")}` : "/callback"
  try {
    const [code] = await Promise.all([codeFrom(server, path, state, signal), begin(`http://${host}:${port}${path}`)])
    return code
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

async function listen(server: Server, ports: readonly number[]): Promise<number> {
  for (const [at, port] of ports.entries()) {
    server.listen(port, "127.0.0.1")
    try {
      await once(server, "listening")
      break
    } catch (fault) {
      if (at === ports.length - 1) throw fault
    }
  }
  const bound = server.address()
  return typeof bound === "object" && bound !== null ? bound.port : 0
}

function codeFrom(
  server: Server,
  path: string,
  state: string | undefined,
  signal: AbortSignal,
): Promise<RedirectedCode> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    server.on("request", (request, response) => {
      const url = URL.parse(request.url ?? "/", "http://localhost") // null for an address like "//"
      const isOurs =
        request.method === "GET" &&
        url?.pathname === path &&
        (state === undefined || url.searchParams.get("state") === state)
      const code = url?.searchParams.get("code") ?? null
      response.statusCode = isOurs ? 200 : 404
      response.setHeader("content-type", "text/plain; charset=utf-8")
      response.setHeader("connection", "close")
      response.end(isOurs ? page(code !== null) : "Not found.\n", () => {
        if (!isOurs) return
        if (code !== null) resolve({ code, issuer: url.searchParams.get("iss") ?? undefined })
        else reject(new LoginFault("the login was denied in the browser."))
      })
    })
  })
}

function page(isDone: boolean): string {
  return isDone
    ? "Logged in. You can close this page and go back to the terminal.\n"
    : "The login was denied. Go back to the terminal.\n"
}
