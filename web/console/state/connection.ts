// The connection of the page to its server: made at the start, kept by the reconnecting port, and ended when the key is no
// longer valid.
import { signal, type ReadonlySignal } from "@preact/signals"
import { houseUrl } from "../../../src/clients/house/address.ts"
import { HouseRefused, LineClient } from "../../../src/clients/house/line-client.ts"
import { RemotePort } from "../../../src/clients/house/remote-port.ts"
import type { LinkChange } from "../../../src/clients/base/linked-handle.ts"
import type { SessionId } from "../../../src/contract/ids.ts"
import type { Refusal } from "../../../src/contract/refusals.ts"
import type { By, Role } from "../../../src/contract/values.ts"
import { connectToWebSocket } from "../../../src/transports/websocket-lines.ts"
import { sharedKey, takeCredentials } from "./credentials.ts"
import { onOtherTab, type SignInChange } from "./other-tabs.ts"
import { setServerTime } from "./server-clock.ts"
import { watchWake } from "./wake.ts"

/** Who uses the page, and what the server permits. */
export interface Access {
  readonly port: RemotePort
  readonly caller: By
  /** Absent for the owner, who may do everything. */
  readonly roles: readonly Role[] | undefined
  readonly release: string
}

export type ConnectionState =
  | { readonly kind: "connecting" }
  /** The first connection could not be made; it is tried again. */
  | { readonly kind: "unreachable"; readonly problem: string }
  | { readonly kind: "signed-out"; readonly problem: string | undefined }
  | ({ readonly kind: "connected" } & Access)

export interface Connection {
  readonly state: ReadonlySignal<ConnectionState>
  /** Since when the server cannot be reached. */
  readonly lostSince: ReadonlySignal<number | undefined>
  /** How long the newest interruption took, once it is over. */
  readonly returned: ReadonlySignal<{ readonly at: number; readonly ms: number } | undefined>
  readonly onLinkChange: (listen: (sessionId: SessionId, state: LinkChange) => void) => () => void
  /** After the address has got a new code or key. */
  readonly restart: () => void
}

const RETRY_MS = 2000
/** The name of this client, shown to others that watch the same session. */
export const DOOR = "console"

export const expired =
  "The link or sign-in of this page has expired or was revoked. Ask for a new link, or sign in again."

const signedOutElsewhere = "You have signed out in another tab."

export function openConnection(): Connection {
  const connecting = new Connecting()
  watchWake(() => connecting.hurry())
  onOtherTab((change) => connecting.followTab(change))
  void connecting.start()
  return connecting
}

class Connecting implements Connection {
  readonly state = signal<ConnectionState>({ kind: "connecting" })
  readonly lostSince = signal<number | undefined>(undefined)
  readonly returned = signal<{ readonly at: number; readonly ms: number } | undefined>(undefined)
  readonly #listeners = new Set<(sessionId: SessionId, state: LinkChange) => void>()
  /** Of the newest start: an older one changes nothing any more. */
  #attempt = 0
  #port: RemotePort | undefined
  #client: LineClient | undefined

  onLinkChange(listen: (sessionId: SessionId, state: LinkChange) => void): () => void {
    this.#listeners.add(listen)
    return () => this.#listeners.delete(listen)
  }

  hurry(): void {
    this.#port?.hurry()
  }

  /** A tab with the key of a share link has nothing to do with the sign-in of the browser. */
  followTab(change: SignInChange): void {
    if (sharedKey() !== undefined) return
    if (change === "signed-out") this.#signOut(signedOutElsewhere)
    else if (this.state.value.kind === "signed-out") this.restart()
  }

  restart(): void {
    this.#leave()
    this.state.value = { kind: "connecting" }
    void this.start()
  }

  async start(): Promise<void> {
    const attempt = (this.#attempt += 1)
    const problem = await takeCredentials()
    if (problem !== undefined) return this.#signOut(problem)
    while (attempt === this.#attempt) {
      const state = await this.#connect()
      if (attempt !== this.#attempt) return state.kind === "connected" ? state.port.close() : undefined
      this.state.value = state
      if (state.kind === "connected") this.#port = state.port
      if (state.kind !== "unreachable") return
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  async #connect(): Promise<ConnectionState> {
    try {
      const port = await RemotePort.connect({
        name: location.host,
        connect: (attempt) => this.#connectClient(attempt),
        onChange: (sessionId, state) => {
          for (const listen of this.#listeners) listen(sessionId, state)
        },
        onProblem: () => {},
        refusalOf,
      })
      const { principal = "you", roles, release = "" } = port.greeting ?? {}
      return { kind: "connected", port, caller: { principal, door: DOOR }, roles, release }
    } catch (fault) {
      const hadKey = sharedKey() !== undefined
      if (refusalOf(fault)?.code === "key.bad") return { kind: "signed-out", problem: hadKey ? expired : undefined }
      return { kind: "unreachable", problem: fault instanceof Error ? fault.message : String(fault) }
    }
  }

  async #connectClient(attempt: "first" | "again"): Promise<LineClient> {
    const key = sharedKey()
    const options = { door: DOOR, ...(key === undefined ? {} : { key }) }
    try {
      const client = await LineClient.over(
        (onConnection) => connectToWebSocket(houseUrl(location.href), onConnection),
        options,
      )
      this.#handleConnected(client)
      return client
    } catch (fault) {
      if (attempt === "again" && refusalOf(fault)?.code === "key.bad") this.#signOut(expired)
      throw fault
    }
  }

  #handleConnected(client: LineClient): void {
    const since = this.lostSince.value
    if (since !== undefined) this.returned.value = { at: Date.now(), ms: Date.now() - since }
    this.lostSince.value = undefined
    this.#client = client
    void setClock(client)
    void client.closed.then((reason) => this.#handleClosed(client, reason))
  }

  #handleClosed(client: LineClient, reason: Refusal): void {
    if (client !== this.#client) return
    if (reason.code === "key.bad") this.#signOut(expired)
    else this.lostSince.value ??= Date.now()
  }

  #signOut(problem: string): void {
    this.#attempt += 1
    this.#leave()
    this.state.value = { kind: "signed-out", problem }
  }

  #leave(): void {
    this.#port?.close()
    this.#port = undefined
    this.#client = undefined
    this.lostSince.value = undefined
  }
}

/** Hosts of older releases do not say what time it is. */
async function setClock(client: LineClient): Promise<void> {
  const sentAt = Date.now()
  const answered = await client.query({ type: "host" })
  const now = answered.kind === "answer" ? answered.value.now : undefined
  if (now !== undefined) setServerTime(now, sentAt, Date.now())
}

function refusalOf(fault: unknown): Refusal | undefined {
  return fault instanceof HouseRefused ? fault.refusal : undefined
}

/** The server cannot be reached at the moment, which the first line of the page says: nothing else is a problem then. */
export function isAway({ code }: Refusal): boolean {
  return code === "host.unreachable" || code === "host.gone"
}

/** Without roles the page is used by the owner. */
export function may({ roles }: Pick<Access, "roles">, role: Role): boolean {
  return roles === undefined || roles.includes(role)
}
