// The network of one command: which connections it may open, and which were refused. A host outside of the list is
// refused, unless the call can ask a person about it; each host is decided once for a command.
import type { Config } from "../../contract/config.ts"
import {
  destinationText,
  isAllowedByRules,
  isNamedByRules,
  ruleFor,
  type Destination,
} from "../../contract/rules/network-rules.ts"
import { isIP, type Server } from "node:net"
import { isPublicAddress } from "../../knowledge/fetch/address-guard.ts"
import { openProxy, type Judgement } from "./proxy.ts"

/** `tools.network` of the configuration. */
export type NetworkSetting = NonNullable<NonNullable<Config["tools"]>["network"]>

/** Refused hosts that the result of a call names. */
const MAX_REFUSALS = 20

export class CommandNetwork {
  readonly #rules: readonly string[]
  readonly #judgements = new Map<string, Promise<Judgement>>()
  readonly #refusals = new Map<string, string>()
  readonly #proxy = openProxy({
    judge: (destination) => this.#judge(destination),
    refusePrivate: (destination, address) => this.#refuse(destination, privateText(destination, address)).reason,
  })

  constructor(rules: readonly string[]) {
    this.#rules = rules
  }

  readonly serve = (listener: Server): void => this.#proxy.serve(listener)

  readonly close = (): void => this.#proxy.close()

  /** Sentences about what was refused so far. */
  refusals(): readonly string[] {
    const all = [...this.#refusals.values()]
    const more = all.length - MAX_REFUSALS
    return more > 0 ? [...all.slice(0, MAX_REFUSALS), `${more} more hosts were refused.`] : all
  }

  #judge(destination: Destination): Promise<Judgement> {
    const key = destinationText(destination)
    const known = this.#judgements.get(key)
    if (known !== undefined) return known
    const judgement = this.#decide(destination)
    this.#judgements.set(key, judgement)
    return judgement
  }

  async #decide(destination: Destination): Promise<Judgement> {
    const { host } = destination
    if (isNamedByRules(this.#rules, destination)) return { kind: "allowed", mayBePrivate: true }
    if (isIP(host) !== 0 && !isPublicAddress(host)) return this.#refuse(destination, privateText(destination, host))
    if (isAllowedByRules(this.#rules, destination)) return { kind: "allowed", mayBePrivate: false }
    return this.#refuse(destination, unlistedText(destination))
  }

  #refuse(destination: Destination, reason: string): Extract<Judgement, { readonly kind: "refused" }> {
    this.#refusals.set(destinationText(destination), reason)
    return { kind: "refused", reason }
  }
}

function unlistedText(destination: Destination): string {
  return `The connection to ${destinationText(destination)} was refused: tools.network does not allow ${ruleFor(destination)}.`
}

function privateText(destination: Destination, address: string): string {
  const to = destinationText(destination)
  const which = address === destination.host ? "it is" : `it has the address ${address}, which is`
  return `The connection to ${to} was refused: ${which} not of the public internet, and tools.network does not list ${ruleFor(destination)} itself.`
}
