// The network of one command: which connections it may open, and which were refused. A person is asked about a host
// outside of the list, one host at a time; each host is decided once for a command.
import { isIP, type Server } from "node:net"
import type { Config } from "../../contract/config.ts"
import {
  destinationText,
  isAllowedByRules,
  isNamedByRules,
  ruleFor,
  type Destination,
} from "../../contract/rules/network-rules.ts"
import { isPublicAddress } from "../../knowledge/fetch/address-guard.ts"
import type { LimitedNetwork } from "../shell/shells.ts"
import type { ToolContext } from "../tool.ts"
import { openProxy, type Judgement, type ProxyOptions } from "./proxy.ts"
import { SharedRequest } from "./shared-request.ts"

/** `tools.network` of the configuration. */
export type NetworkSetting = NonNullable<NonNullable<Config["tools"]>["network"]>

/** Refused hosts that the result of a call names. */
const MAX_REFUSALS = 20
/** Hosts that a person is asked about for one command; further ones are refused. */
export const MAX_ASKED_HOSTS = 20

export type NetworkOptions = Pick<ProxyOptions, "resolve"> & Pick<ToolContext, "connect">

export class CommandNetwork implements LimitedNetwork {
  readonly #rules: readonly string[]
  readonly #ask: ToolContext["connect"]
  readonly #judgements = new Map<string, SharedRequest<Judgement>>()
  readonly #refusals = new Map<string, string>()
  readonly #proxy
  #asked = 0
  #lastAsked: Promise<unknown> = Promise.resolve()
  #waitedMs = 0
  #waitingSince: number | undefined

  /** Without `connect`, hosts outside of the list are refused. */
  constructor(rules: readonly string[], { connect, resolve }: NetworkOptions = {}) {
    this.#rules = rules
    this.#ask = connect
    this.#proxy = openProxy({
      judge: (destination, signal) => this.#judge(destination, signal),
      refusePrivate: (destination, address) => this.#refuse(destination, privateText(destination, address)).reason,
      resolve,
    })
  }

  readonly serve = (listener: Server): void => this.#proxy.serve(listener)

  readonly close = (): void => this.#proxy.close()

  /** Sentences about what was refused so far. */
  refusals(): readonly string[] {
    const all = [...this.#refusals.values()]
    const more = all.length - MAX_REFUSALS
    return more > 0 ? [...all.slice(0, MAX_REFUSALS), `${more} more hosts were refused.`] : all
  }

  /** Time that the command spent waiting for an answer of a person; it does not count. */
  readonly waitedMs = (): number =>
    this.#waitedMs + (this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince)

  /** If all connections that wait for an answer are closed, a later one asks again. */
  #judge(destination: Destination, signal: AbortSignal): Promise<Judgement> {
    const key = destinationText(destination)
    const known = this.#judgements.get(key)
    if (known?.isAbandoned === false) return known.join(signal)
    const judgement = new SharedRequest((stop) => this.#decide(destination, stop))
    this.#judgements.set(key, judgement)
    return judgement.join(signal)
  }

  async #decide(destination: Destination, signal: AbortSignal): Promise<Judgement> {
    const { host } = destination
    if (isNamedByRules(this.#rules, destination)) return { kind: "allowed", mayBePrivate: true }
    if (isIP(host) !== 0 && !isPublicAddress(host)) return this.#refuse(destination, privateText(destination, host))
    if (isAllowedByRules(this.#rules, destination)) return { kind: "allowed", mayBePrivate: false }
    return this.#askNext(destination, signal)
  }

  async #askNext(destination: Destination, signal: AbortSignal): Promise<Judgement> {
    const ask = this.#ask
    if (ask === undefined || this.#asked >= MAX_ASKED_HOSTS) return this.#refuse(destination, unlistedText(destination))
    this.#asked += 1
    const answering = this.#lastAsked.then(() => this.#timed(() => ask(destination, signal)))
    this.#lastAsked = answering.catch(() => {}) // it is reported where it is awaited
    const answer = await answering
    if (answer.kind === "allowed") return { kind: "allowed", mayBePrivate: false }
    return this.#refuse(destination, unlistedText(destination, answer.reason))
  }

  async #timed<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#waitingSince = performance.now()
    try {
      return await wait()
    } finally {
      this.#waitedMs = this.waitedMs()
      this.#waitingSince = undefined
    }
  }

  #refuse(destination: Destination, reason: string): Extract<Judgement, { readonly kind: "refused" }> {
    this.#refusals.set(destinationText(destination), reason)
    return { kind: "refused", reason }
  }
}

function unlistedText(destination: Destination, why?: string): string {
  const cause = why === undefined ? "" : `, and ${why}`
  return `The connection to ${destinationText(destination)} was refused: tools.network does not list ${ruleFor(destination)}${cause}.`
}

function privateText(destination: Destination, address: string): string {
  const to = destinationText(destination)
  const which = address === destination.host ? "it is" : `it has the address ${address}, which is`
  return `The connection to ${to} was refused: ${which} not of the public internet, and tools.network does not list ${ruleFor(destination)} itself.`
}
