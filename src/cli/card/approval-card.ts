// Asks for an approval with a card at the bottom of the terminal, answered with single keys.
import { rememberedCall } from "../../contract/rules/approval-answers.ts"
import { mainArgument } from "../../contract/rules/core-tools.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { Grant, JsonValue } from "../../contract/values.ts"
import { printNotice, styled } from "../../app/terminal.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"
import { indented } from "../output.ts"
import { detailsText } from "../../display/call-preview.ts"
import { approvalChoices, grantablePattern, shownCall } from "../../display/approval-choices.ts"
import type { ShownCall } from "../../display/call-lines.ts"
import type { LiveRegion } from "../print/live-region.ts"
import { cardLines, type Card, type Choice } from "../../display/card-lines.ts"
import { editCall } from "./edit-call.ts"
import { paint } from "../print/paint.ts"
import { readKeys } from "./terminal-keys.ts"
import { readTypedLine } from "./typed-line.ts"

export type CardAnswer =
  | { readonly kind: "approve"; readonly input?: JsonValue; readonly remember?: Pick<Grant, "pattern" | "scope"> }
  | { readonly kind: "deny"; readonly note?: string }

/** What the card shows besides the request. */
export interface CardContext {
  readonly folder: string
  /** The session that the terminal shows. */
  readonly sessionId: string
  /** More requests may come while it is shown. */
  readonly place: () => Card["place"]
}

const TICK_MS = 1000
const TOO_SMALL = "A call waits for approval. Enlarge the window to see it."
const MAX_SUMMARY_LENGTH = 60

export class ApprovalCard {
  readonly #request: OpenApproval
  readonly #context: CardContext
  readonly #region: LiveRegion
  readonly #signal: AbortSignal
  readonly #pattern: string | undefined
  #edited: JsonValue | undefined
  /** The call is on the screen: only then keys answer. */
  #isShown = false

  constructor(request: OpenApproval, context: CardContext, region: LiveRegion, signal: AbortSignal) {
    this.#request = request
    this.#context = context
    this.#region = region
    this.#signal = signal
    this.#pattern = grantablePattern(request)
  }

  /** Undefined at the end of the input. Rejects with an AbortError if the request is settled otherwise. */
  async ask(): Promise<CardAnswer | undefined> {
    for (;;) {
      const key = await this.#choose()
      if (key === undefined) return undefined
      const answer = await this.#act(key)
      if (answer !== undefined) return answer
    }
  }

  async #act(key: string): Promise<CardAnswer | undefined> {
    switch (key) {
      case "y":
        return { kind: "approve", ...(this.#edited === undefined ? {} : { input: this.#edited }) }
      case "a":
      case "f":
        return this.#remembered(key === "a" ? "session" : "folder")
      case "t":
        return this.#rememberedCall()
      case "n":
        return this.#denied()
      case "e":
        await this.#edit()
        return undefined
      default:
        this.#showDetails()
        return undefined
    }
  }

  #remembered(scope: Grant["scope"]): CardAnswer | undefined {
    const pattern = this.#pattern
    return pattern === undefined ? undefined : { kind: "approve", remember: { pattern, scope } }
  }

  #rememberedCall(): CardAnswer | undefined {
    const exact = rememberedCall(this.#request.tool, this.#request.input)
    return exact === undefined ? undefined : { kind: "approve", remember: exact }
  }

  /** Escape leads back to the card. */
  async #denied(): Promise<CardAnswer | undefined> {
    const { tool, input } = this.#request
    const what = oneLine(`${tool} ${mainArgument(tool, input)}`, MAX_SUMMARY_LENGTH)
    const prompt = `No: ${what}\nWhy? The agent reads it. (Enter: no reason, Esc: back)\n› `
    const typed = await this.#typing(() => readTypedLine(prompt, "", this.#signal))
    if (typed.kind === "back") return undefined
    const note = typed.kind === "line" ? typed.text.trim() : ""
    return note === "" ? { kind: "deny" } : { kind: "deny", note }
  }

  async #edit(): Promise<void> {
    const edited = await this.#typing(() => editCall(this.#call, this.#signal))
    if (edited.kind === "changed") this.#edited = edited.input
    if (edited.kind === "problem") printNotice(styled("yellow", edited.message))
  }

  #showDetails(): void {
    const { tool, reason, approvalId } = this.#request
    const title = styled("dim", `${approvalId}  ${oneLine(tool, 100)}: ${oneLine(reason, Infinity)}`)
    printNotice(`${title}\n${indented(detailsText(this.#call), 2)}`)
  }

  async #typing<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#region.hold()
    try {
      return await work()
    } finally {
      this.#region.resume()
    }
  }

  get #call(): ShownCall {
    return shownCall(this.#request, this.#edited)
  }

  /** The key of a choice; undefined at the end of the input. */
  #choose(): Promise<string | undefined> {
    this.#signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      let isReady = false
      const choices = approvalChoices(this.#request, this.#edited !== undefined)
      const draw = () => this.#draw(choices, isReady)
      const setReady = (value: boolean) => {
        isReady = value
        draw()
      }
      const finish = (settle: () => void) => {
        stopReading()
        clearInterval(ticking)
        process.stderr.off("resize", draw)
        this.#signal.removeEventListener("abort", onAbort)
        this.#region.set("question", [])
        settle()
      }
      const onAbort = () => finish(() => reject(new DOMException("The request is settled.", "AbortError")))
      const end = () => finish(() => resolve(undefined))
      draw()
      const stopReading = readKeys({
        ready: () => setReady(true),
        ignored: () => setReady(false),
        key: ({ name, ctrl }) => {
          if (ctrl && name === "d") return end()
          const isChoice = this.#isShown && !ctrl && choices.some(({ key }) => key === name)
          if (isChoice) finish(() => resolve(name))
        },
        end,
        suspend: () => this.#region.pause(),
        resume: () => this.#region.resume(),
      })
      const ticking = setInterval(draw, TICK_MS)
      process.stderr.on("resize", draw)
      this.#signal.addEventListener("abort", onAbort)
    })
  }

  #draw(choices: readonly Choice[], isReady: boolean): void {
    const { reason, sessionId, at, expiresAt } = this.#request
    const { folder, place } = this.#context
    const card: Card = {
      call: this.#call,
      isEdited: this.#edited !== undefined,
      folder,
      reason,
      agent: sessionId === this.#context.sessionId ? undefined : sessionId,
      place: place(),
      askedAt: at,
      expiresAt,
      choices,
      isReady,
    }
    const stream = process.stderr
    const space = { columns: stream.columns || 80, rows: (stream.rows || 24) - 2, now: Date.now() }
    const lines = cardLines(card, space)?.map((line) => paint(line, stream))
    this.#isShown = lines !== undefined
    this.#region.set("question", lines === undefined ? [styled("yellow", TOO_SMALL)] : ["", ...lines])
  }
}
