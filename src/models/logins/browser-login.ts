// A login in the browser of this machine with PKCE (RFC 7636): the server redirects to a socket on the loopback address,
// which accepts one answer under a path that only this login knows.
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { LoginSurroundings } from "./device-login.ts"
import type { LoginFlow } from "./flows.ts"
import { LoginFault } from "./login-store.ts"
import { oauthRequest, tokensIn, type Tokens } from "./oauth-request.ts"

type BrowserFlow = Extract<LoginFlow, { kind: "browser" }>
type KeyFlow = Extract<LoginFlow, { kind: "key" }>

const WAIT_MS = 10 * 60 * 1000
/** Some servers accept only this port of the loopback address; another one is used if it is taken. */
const USUAL_PORT = 3000

/** The key that the server gives for the code. */
export async function keyLogin(
  { authorizeUrl, exchangeUrl }: KeyFlow,
  surroundings: LoginSurroundings,
): Promise<string> {
  const { verifier, challenge } = proof()
  const code = await codeFromBrowser(surroundings, "localhost", (redirect) => {
    return address(authorizeUrl, { callback_url: redirect, code_challenge: challenge, code_challenge_method: "S256" })
  })
  const fields = { code, code_verifier: verifier, code_challenge_method: "S256" }
  const { fetch, signal } = surroundings
  const { body } = await oauthRequest(exchangeUrl, fields, { fetch, signal, format: "json" })
  if (typeof body["key"] === "string" && body["key"] !== "") return body["key"]
  throw new LoginFault("the server gave no key for the code. Try again.")
}

export async function browserLogin(flow: BrowserFlow, surroundings: LoginSurroundings): Promise<Tokens> {
  const { authorizeUrl, tokenUrl, clientId, scope } = flow
  const { verifier, challenge } = proof()
  const state = randomBytes(16).toString("base64url")
  let redirectUri = ""
  const code = await codeFromBrowser(
    surroundings,
    "127.0.0.1",
    (redirect) => {
      redirectUri = redirect
      return address(authorizeUrl, {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirect,
        ...(scope === undefined ? {} : { scope }),
        state,
        code_challenge: challenge,
        code_challenge_method: "S256",
      })
    },
    state,
  )
  const request = {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
  }
  const answer = await oauthRequest(tokenUrl, request, { fetch: surroundings.fetch, signal: surroundings.signal })
  const found = answer.ok ? tokensIn(answer.body, Date.now()) : undefined
  if (found !== undefined) return found
  throw new LoginFault(`the login was refused (${answer.ok ? "no token" : answer.error}). Try again.`)
}

function proof() {
  const verifier = randomBytes(32).toString("base64url")
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") }
}

function address(base: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(base)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** `state`: must come back unchanged, where the server returns one. */
async function codeFromBrowser(
  { signal, show }: LoginSurroundings,
  host: string,
  addressFor: (redirect: string) => string,
  state?: string,
): Promise<string> {
  const server = createServer()
  const port = await listen(server)
  const path = state === undefined ? `/callback/${randomBytes(16).toString("base64url")}` : "/callback"
  const timeout = AbortSignal.timeout(WAIT_MS)
  try {
    const code = codeFrom(server, path, state, AbortSignal.any([signal, timeout]))
    show(addressFor(`http://${host}:${port}${path}`))
    return await code
  } catch (fault) {
    signal.throwIfAborted()
    throw timeout.aborted
      ? new LoginFault("there was no answer from the browser within ten minutes. Run the command again.")
      : fault
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

async function listen(server: Server): Promise<number> {
  for (const port of [USUAL_PORT, 0]) {
    server.listen(port, "127.0.0.1")
    try {
      await once(server, "listening")
      break
    } catch (fault) {
      if (port === 0) throw fault
    }
  }
  const bound = server.address()
  return typeof bound === "object" && bound !== null ? bound.port : 0
}

function codeFrom(server: Server, path: string, state: string | undefined, signal: AbortSignal): Promise<string> {
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
        if (code !== null) resolve(code)
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
