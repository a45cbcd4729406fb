// Connects to a host: resolves its name once and uses exactly the checked addresses, so that DNS rebinding has no effect.
import { lookup } from "node:dns/promises"
import { connect as connectSocket, isIP, type LookupFunction, type Socket } from "node:net"
import { systemCode } from "../../contract/faults.ts"
import { destinationText, type Destination } from "../../contract/rules/network-rules.ts"
import { isPublicAddress } from "../../knowledge/fetch/address-guard.ts"

const CONNECT_TIMEOUT_MS = 30_000

export type Resolve = (host: string) => Promise<readonly string[]>

export type Connected =
  | { readonly kind: "connected"; readonly socket: Socket }
  /** It may not be connected to. */
  | { readonly kind: "private"; readonly address: string }
  | { readonly kind: "failed"; readonly reason: string }

/** A private address counts only for a host that was named itself. One such address among public ones is refused, too. */
export async function connectTo(
  destination: Destination,
  mayBePrivate: boolean,
  signal: AbortSignal,
  resolve: Resolve = resolveName,
): Promise<Connected> {
  const { host, port } = destination
  const failed = (what: string): Connected => ({ kind: "failed", reason: `${destinationText(destination)}: ${what}` })
  try {
    const addresses = isIP(host) === 0 ? await resolve(host) : [host]
    const closed = mayBePrivate ? undefined : addresses.find((address) => !isPublicAddress(address))
    if (closed !== undefined) return { kind: "private", address: closed }
    if (addresses.length === 0) return failed("the name has no address")
    return { kind: "connected", socket: await opened({ host, port, lookup: pinned(addresses) }, signal) }
  } catch (fault) {
    return failed(systemCode(fault) ?? (fault instanceof Error ? fault.message : String(fault)))
  }
}

export async function resolveName(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, found) => {
    const [first = { address: "", family: 0 }] = all
    if (options.all === true) found(null, all)
    else found(null, first.address, first.family)
  }
}

function opened(
  to: { readonly host: string; readonly port: number; readonly lookup: LookupFunction },
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ ...to, allowHalfOpen: true, autoSelectFamily: true })
    const give = (fault: Error) => {
      socket.destroy()
      reject(fault)
    }
    const onAbort = () => give(new Error("the command closed the connection"))
    const timer = setTimeout(() => give(new Error("no answer in 30 s")), CONNECT_TIMEOUT_MS)
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", onAbort)
    }
    signal.addEventListener("abort", onAbort, { once: true })
    socket.once("error", (fault) => {
      settle()
      reject(fault)
    })
    socket.once("connect", () => {
      settle()
      resolve(socket)
    })
    if (signal.aborted) onAbort()
  })
}
