// OAuth 2.0 device authorization (RFC 8628): the user types a code into a page of the server, on any device, while this
// process asks whether that has happened.
import { setTimeout } from "node:timers/promises"
import { tokens as count } from "../catalogue/foreign-values.ts"
import type { Fetch } from "../providers/provider.ts"
import type { LoginFlow } from "./flows.ts"
import { LoginFault } from "./login-store.ts"
import { oauthRequest, tokensIn, type Tokens } from "./oauth-request.ts"

type DeviceFlow = Extract<LoginFlow, { kind: "device" }>

export interface LoginSurroundings {
  readonly fetch: Fetch
  readonly signal: AbortSignal
  /** Shows the address to open, and the code to type there if there is one. */
  readonly show: (address: string, code?: string) => void
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Sent with each request, besides the client id. */
export interface ClientParameters {
  readonly fields?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

const DEFAULT_INTERVAL_S = 5
const DEFAULT_LIFETIME_S = 900
const MAX_WAIT_S = 1800

export async function deviceLogin(
  flow: DeviceFlow,
  surroundings: LoginSurroundings,
  client: ClientParameters = {},
): Promise<Tokens> {
  const { fetch, signal, show } = surroundings
  const { clientId, scope, deviceUrl } = flow
  const { headers } = client
  const fields = { client_id: clientId, ...(scope === undefined ? {} : { scope }), ...client.fields }
  const asked = await oauthRequest(deviceUrl, fields, { fetch, signal, headers })
  const { device_code: device, user_code: code, verification_uri: address } = asked.body
  if (
    !asked.ok ||
    typeof device !== "string" ||
    typeof code !== "string" ||
    typeof address !== "string" ||
    !isWebAddress(address)
  )
    throw new LoginFault(
      `the login was refused (${asked.ok ? "no code" : asked.error}). Check the client id and the addresses of the login in the configuration.`,
    )
  show(address, code)
  const lifetime = Math.min(count(asked.body["expires_in"]) ?? DEFAULT_LIFETIME_S, MAX_WAIT_S)
  const timing = { interval: count(asked.body["interval"]) ?? DEFAULT_INTERVAL_S, lifetime }
  const grant = { device_code: device, client_id: clientId, ...client.fields }
  return poll(flow.tokenUrl, { grant, headers }, timing, surroundings)
}

interface Poll {
  readonly grant: Readonly<Record<string, string>>
  readonly headers: ClientParameters["headers"]
}

async function poll(
  tokenUrl: string,
  { grant, headers }: Poll,
  { interval, lifetime }: { readonly interval: number; readonly lifetime: number },
  { fetch, signal, pause = sleep }: LoginSurroundings,
): Promise<Tokens> {
  const deadline = Date.now() + lifetime * 1000
  const request = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", ...grant }
  let seconds = interval
  while (Date.now() < deadline) {
    await pause(seconds * 1000, signal)
    const answer = await oauthRequest(tokenUrl, request, { fetch, signal, headers })
    const found = answer.ok ? tokensIn(answer.body, Date.now()) : undefined
    if (found !== undefined) return found
    if (answer.ok) throw new LoginFault("the server gave no token. Try again.")
    if (answer.error === "slow_down") seconds += DEFAULT_INTERVAL_S
    else if (answer.error !== "authorization_pending") throw refused(answer.error)
  }
  throw refused("expired_token")
}

function refused(error: string): LoginFault {
  if (error === "access_denied") return new LoginFault("the login was denied in the browser.")
  if (error === "expired_token") return new LoginFault("the code has expired. Run the command again.")
  return new LoginFault(`the login was refused (${error}).`)
}

function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal })
}
