// Requests to the token and device endpoints of an OAuth server. Error texts come from its error codes, never from its
// free text, which could contain anything.
import { record } from "../catalogue/foreign-values.ts"
import { readJsonBounded } from "../catalogue/read-json.ts"
import type { Fetch } from "../providers/provider.ts"
import { LoginFault } from "./login-store.ts"

const TIMEOUT_MS = 20_000

export type OAuthAnswer =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: string; readonly body: Readonly<Record<string, unknown>> }

export interface Tokens {
  readonly access: string
  readonly refresh?: string
  readonly expiresAt?: number
}

export interface OAuthRequestOptions {
  readonly fetch: Fetch
  readonly signal?: AbortSignal | undefined
  readonly format?: "form" | "json"
  /** Of a client that authenticates itself. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Throws LoginFault if there is no answer that can be read. */
export async function oauthRequest(
  url: string,
  fields: Readonly<Record<string, string>>,
  { fetch, signal, format = "form", headers }: OAuthRequestOptions,
): Promise<OAuthAnswer> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const type = format === "json" ? "application/json" : "application/x-www-form-urlencoded"
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { accept: "application/json", "content-type": type, ...headers },
      body: format === "json" ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
      redirect: "error",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    const answer = record(await readJsonBounded(response))
    const { error } = answer
    if (response.ok && error === undefined) return { ok: true, body: answer }
    return {
      ok: false,
      error: typeof error === "string" && /^[a-z_]{1,60}$/.test(error) ? error : `status ${response.status}`,
      body: answer,
    }
  } catch (fault) {
    signal?.throwIfAborted()
    if (fault instanceof LoginFault) throw fault
    throw new LoginFault(`${new URL(url).host} gave no answer that can be used. Try again later.`, { cause: fault })
  }
}

/** Undefined if the answer has no access token. */
export function tokensIn(body: Readonly<Record<string, unknown>>, now: number): Tokens | undefined {
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = body
  if (typeof access !== "string" || access === "") return undefined
  return {
    access,
    ...(typeof refresh === "string" && refresh !== "" ? { refresh } : {}),
    ...(typeof seconds === "number" && seconds > 0 ? { expiresAt: now + seconds * 1000 } : {}),
  }
}
