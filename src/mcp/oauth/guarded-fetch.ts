// Requests of a login to addresses that an MCP server names. Only https or this machine, no redirect to another host, no
// private network unless the MCP server is in one itself, an answer of bounded size within a bounded time.
import { isIP } from "node:net"
import { plainHost } from "../../contract/rules/web-address.ts"
import { isPublicAddress } from "../../knowledge/fetch/address-guard.ts"
import { LoginFault } from "../../models/logins/login-store.ts"
import { resolveName, type Resolve } from "../../tools/network/connect.ts"
import { secureAddress } from "./secure-address.ts"

type Fetch = typeof globalThis.fetch

export interface GuardedFetch {
  readonly fetch: Fetch
  /** The first request that was refused. A library may hide the fault and try another address. */
  readonly refusal: () => LoginFault | undefined
}

export interface GuardOptions {
  /** The address of the MCP server. */
  readonly url: string
  readonly fetch: Fetch
  readonly signal?: AbortSignal | undefined
  readonly resolve?: Resolve
}

const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 20_000
/** Statuses whose responses have no body. */
const bodiless = new Set([101, 204, 205, 304])

export function guardedFetch({ url: serverUrl, fetch, signal, resolve = resolveName }: GuardOptions): GuardedFetch {
  let refusal: LoginFault | undefined
  let isInPrivateNetwork: Promise<boolean> | undefined

  const check = async (url: URL) => {
    secureAddress(url.href, "an address for the login")
    isInPrivateNetwork ??= hasPrivateAddress(new URL(serverUrl), resolve)
    if ((await isInPrivateNetwork) || !(await hasPrivateAddress(url, resolve))) return
    throw new LoginFault(`the address ${url.host} for the login is in a private network, but the MCP server is not.`)
  }

  const guarded: Fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    try {
      await check(url)
    } catch (fault) {
      if (fault instanceof LoginFault) refusal ??= fault
      throw fault
    }
    const signals = [AbortSignal.timeout(TIMEOUT_MS), signal, init?.signal]
    const bounds = AbortSignal.any(signals.filter((one) => one !== undefined && one !== null))
    return bounded(await fetch(input, { redirect: "manual", ...init, signal: bounds }), url)
  }
  return { fetch: guarded, refusal: () => refusal }
}

/** The whole answer, so that a parser never gets more than the bound. */
async function bounded(response: Response, { host }: URL): Promise<Response> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new LoginFault(`${host} sent more than ${MAX_BYTES} bytes.`)
    chunks.push(chunk)
  }
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  headers.delete("content-encoding") // already decoded
  headers.delete("content-length")
  return new Response(bodiless.has(status) ? null : Buffer.concat(chunks), { status, statusText, headers })
}

/** A name with one private address counts: the connection may use it. */
async function hasPrivateAddress({ hostname }: URL, resolve: Resolve): Promise<boolean> {
  const host = plainHost(hostname)
  const addresses = isIP(host) === 0 ? await resolved(host, resolve) : [host]
  return addresses.some((address) => !isPublicAddress(address))
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(host)
  } catch (fault) {
    throw new LoginFault(`${host} cannot be found. Check the address and the network.`, { cause: fault })
  }
}
