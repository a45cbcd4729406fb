// A login in the browser of this machine with PKCE (RFC 7636).
import { createHash, randomBytes } from "node:crypto"
import { withDeadline } from "./deadline.ts"
import type { LoginSurroundings } from "./device-login.ts"
import type { LoginFlow } from "./flows.ts"
import { LoginFault } from "./login-store.ts"
import { redirectedCode, type RedirectRequest } from "./loopback-redirect.ts"
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
  host: RedirectRequest["host"],
  addressFor: (redirect: string) => string,
  state?: string,
): Promise<string> {
  const begin = (redirect: string) => show(addressFor(redirect))
  const { code } = await withDeadline(signal, deadline(), (bounded) =>
    redirectedCode({ host, ports: [USUAL_PORT, 0], state, signal: bounded, begin }),
  )
  return code
}

function deadline() {
  return {
    timeout: AbortSignal.timeout(WAIT_MS),
    message: "there was no answer from the browser within ten minutes. Run the command again.",
  }
}
