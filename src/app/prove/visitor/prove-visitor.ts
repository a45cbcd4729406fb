// `turnhouse prove visitor`: an unauthenticated client writes hostile values into every field of every frame of the WebSocket
// API of a real server, alone and together.
import { messageOf } from "../../app-fault.ts"
import { parseJson, textIn } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { isActionName } from "../../../protocols/ws/actions.ts"
import { checkServerEvent } from "../../../protocols/ws/generated/events.js"
import { Counts } from "../counts.ts"
import { reportIn } from "../proof-home.ts"
import { runProof, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { pick, seeded } from "../seeded.ts"
import { WsCaller } from "../served/ws-caller.ts"
import { allowedAnswers, attacks, type OwnIds } from "./attacks.ts"
import { enter, sendAttack } from "./send-attack.ts"
import { AttackedServer } from "./target.ts"

export interface VisitorResult extends ProofResult {
  readonly frames: number
  readonly rows: readonly FieldRow[]
}

export interface FieldRow {
  readonly action: string
  readonly field: string
  readonly frames: number
}

type Below = (below: number) => number

/** Open at the same time, each with a conversation of its own. */
const SOCKETS = 8
/** Then a new socket opens a new conversation. */
const FRAMES_EACH = 200
/** Chance that another field of the same frame is attacked as well. */
const MORE_FIELDS_PERCENT = 30
const actionNames = Object.keys(attacks).filter(isActionName)

export function proveVisitor({ count, seed, signal, onProgress }: ProofOptions): Promise<VisitorResult> {
  return runProof({ seed, signal }, async (folder) => {
    const counts = new Counts<"frames">()
    let frames = 0
    const attacked = await AttackedServer.open(folder)
    const add = reportIn(folder, attacked.server.workspace)
    const report = (event: string, what: string) => {
      if (!folder.signal.aborted) add("broken", event, what)
    }
    const next = () => {
      if (frames >= count || folder.signal.aborted) return false
      frames += 1
      onProgress(frames)
      return true
    }
    try {
      const run = (number: number) =>
        new Attacker(attacked, { counts, report, next, below: seeded(seed * SOCKETS + number) })
      await Promise.all(Array.from({ length: SOCKETS }, (_, number) => run(number).attack()))
    } catch (fault) {
      report("none", messageOf(fault))
    } finally {
      await attacked.close()
    }
    const rows = counts.rows.map(({ names: [action = "", field = ""], counts: cells }) => {
      return { action, field, frames: cells.frames ?? 0 }
    })
    return { frames, rows }
  })
}

interface AttackerOptions {
  readonly counts: Counts<"frames">
  readonly report: (event: string, what: string) => void
  /** False when there were enough frames. */
  readonly next: () => boolean
  readonly below: Below
}

class Attacker {
  readonly #attacked: AttackedServer
  readonly #options: AttackerOptions

  constructor(attacked: AttackedServer, options: AttackerOptions) {
    this.#attacked = attacked
    this.#options = options
  }

  async attack(): Promise<void> {
    const { next, report } = this.#options
    for (let isMore = next(); isMore;) {
      const caller = await WsCaller.open(`${this.#attacked.server.url}/ws`, (text) => this.#check(text))
      const own = await enter(caller)
      for (let frames = 0; frames < FRAMES_EACH && isMore && caller.isOpen; frames += 1) {
        await this.#attackOnce(caller, own)
        isMore = next()
      }
      caller.close()
      const stored = await this.#attacked.storedIn(own.conversationId)
      if (stored !== undefined) report("visit.opened", stored)
    }
  }

  /** Called with each frame that the server sends. */
  #check(text: string): void {
    const { report } = this.#options
    const frame = parseJson(text)
    if (!checkServerEvent(frame)) report(textIn(frame, "type") ?? "none", `not a frame of the protocol: ${text}`)
    const leak = this.#attacked.leakIn(text)
    if (leak !== undefined) report(textIn(frame, "type") ?? "none", leak)
  }

  async #attackOnce(caller: WsCaller, own: OwnIds): Promise<void> {
    const { counts, report } = this.#options
    const { action, fields, frame, allowed } = this.#plan(own)
    for (const field of fields) counts.add([action, field], "frames")
    const outcome = await sendAttack(caller, action, frame)
    const wrong = allowed.includes(outcome) ? this.#attacked.damage() : `answered with ${outcome}`
    if (wrong !== undefined) report(`${action}.${fields[0] ?? ""}`, `${wrong}: ${shortened({ action, ...frame })}`)
  }

  #plan(own: OwnIds) {
    const { below } = this.#options
    const action = pick(actionNames, below)
    const { honest, fields } = attacks[action]
    const { target } = this.#attacked
    const names = Object.keys(fields)
    const chosen = names.length === 0 ? [] : [pick(names, below)]
    while (names.length > 1 && below(100) < MORE_FIELDS_PERCENT) chosen.push(pick(names, below))
    const attacked = [...new Set(chosen)]
    const values: Readonly<Record<string, JsonValue>> = Object.fromEntries(
      attacked.map((name) => [name, pick(fields[name]?.values(target) ?? [null], below)]),
    )
    const frame = { ...honest(own), ...values }
    return { action, fields: attacked, frame, allowed: allowedAnswers(action, values, target) }
  }
}

function shortened(frame: object): string {
  return JSON.stringify(frame, (_, value: unknown) =>
    typeof value === "string" && value.length > 200 ? `${value.slice(0, 20)}… (${value.length} characters)` : value,
  )
}
