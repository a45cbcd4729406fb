// The turns of a session between its caller and the server: messages are sent when there is a connection, frames find
// their turn, and after a lost connection each open turn is looked after. The server ends what runs on a connection
// whatever it is asked to end, so a cancel is sent only for the turn that runs.
import { newRequestId, type Connection, type FrameMembers } from "./connection.ts"
import { asError, TurnCancelled, TurnRefused, TurnTimedOut } from "./faults.ts"
import type { Lifeline } from "./lifeline.ts"
import { OpenTurn } from "./open-turn.ts"
import { OpenTurns } from "./open-turns.ts"
import type { Limits, Resend, SendOptions, Timeouts } from "./options.ts"
import { pause } from "./pause.ts"
import type { Said, ServerFrame } from "./read-frame.ts"
import type { Requests } from "./requests.ts"
import { resumeTurn, type Resuming } from "./resuming.ts"
import { readPage } from "./rows.ts"
import type { SocketEnd } from "./text-socket.ts"
import { Turn, type TurnControls } from "./turn.ts"

export interface DeskOptions {
  readonly timeouts: Timeouts
  readonly limits: Limits
  readonly resend: Resend
  readonly onJoined: (turn: Turn) => void
}

const frameTooLarge = 1009
const mostUnwanted = 100

export class TurnDesk {
  readonly #link: Lifeline
  readonly #requests: Requests
  readonly #options: DeskOptions
  readonly #turns: OpenTurns
  readonly #handles = new WeakMap<OpenTurn, Turn>()
  readonly #over = new AbortController()
  /** Turns whose time was up while there was no connection to cancel them on. */
  readonly #unwanted = new Set<string>()
  readonly #controls: TurnControls

  constructor(link: Lifeline, requests: Requests, options: DeskOptions) {
    this.#link = link
    this.#requests = requests
    this.#options = options
    this.#turns = new OpenTurns(options.limits, (turn) => options.onJoined(this.#handle(turn)))
    this.#controls = {
      cancel: (turn) => this.#cancel(turn),
      ask: (...asked) => requests.ask(...asked),
      askIf: (...asked) => requests.askIf(...asked),
    }
  }

  get running(): Turn | undefined {
    const { running } = this.#turns
    return running === undefined ? undefined : this.#handle(running)
  }

  send(text: string, { model, skill, images, files, ...limits }: SendOptions): Turn {
    const members: FrameMembers = { model, skill, images: images?.map(plain), files: files?.map(plain) }
    const turn = new OpenTurn(newRequestId(), { text: text.toWellFormed(), members }, this.#options.limits)
    this.#turns.add(turn)
    this.#mind(turn, limits)
    void this.#begin(turn)
    return this.#handle(turn)
  }

  /** False when it is about no turn. */
  hear(frame: ServerFrame): boolean {
    const turn = this.#turns.hear(frame)
    const { live } = this.#link
    if (turn === undefined) return this.#hearOther(frame)
    if (frame.said.kind === "ended") this.#link.proved()
    if (turn.outgoing === undefined && isEnd(frame.said)) this.#strangerEnded()
    if (turn.isTooLong && live !== undefined) this.#tellCancel(turn, live)
    return true
  }

  /** Of a turn that is over for its caller, or that was never known. */
  #hearOther({ requestId, said }: ServerFrame): boolean {
    const { live } = this.#link
    const isPast = this.#turns.isPast(requestId)
    if (!isPast && isEnd(said)) this.#strangerEnded()
    if (requestId !== undefined && live?.hasRoom === true && this.#unwanted.delete(requestId) && !isEnd(said))
      live.tell("cancel", { requestId, sessionId: this.#link.visit.sessionId })
    return isPast
  }

  /** Whatever comes of an open turn from now on is told from its beginning. */
  again(): void {
    for (const turn of this.#turns.all) turn.again()
  }

  lost({ code }: SocketEnd): void {
    if (code !== frameTooLarge) return
    for (const turn of this.#turns.all)
      if (turn.phase === "sent")
        turn.fail(new TurnRefused("FRAME_TOO_LARGE", "the message is larger than the server takes"))
  }

  resumed(connection: Connection, isSame: boolean): void {
    for (const turn of this.#turns.all) {
      if (!isSame) turn.lost("the connection was lost, and the server does not know the conversation any more")
      if (turn.isOver || turn.phase === "unsent") continue // it is sent as soon as there is a connection
      if (turn.outgoing === undefined && turn.isHeard) continue // it is told here already
      void resumeTurn(turn, connection, this.#resuming)
    }
  }

  end(fault: Error): void {
    this.#over.abort(fault)
    for (const turn of this.#turns.all) turn.lost(fault.message, fault)
  }

  /** The time limit and the signal of a turn. */
  #mind(turn: OpenTurn, { signal, timeoutMs = 0 }: Pick<SendOptions, "signal" | "timeoutMs">): void {
    const stop = () => this.#cancel(turn)
    const runOut = () => {
      this.#cancel(turn)
      if (this.#link.live === undefined) this.#unwanted.add(turn.requestId)
      if (this.#unwanted.size > mostUnwanted) this.#unwanted.clear()
      turn.fail(new TurnTimedOut(timeoutMs))
    }
    const timer = timeoutMs > 0 ? setTimeout(runOut, timeoutMs) : undefined
    signal?.addEventListener("abort", stop, { once: true })
    const leave = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", stop)
    }
    void turn.over.then(leave)
    if (signal?.aborted === true) stop()
  }

  async #begin(turn: OpenTurn): Promise<void> {
    try {
      const connection = await this.#link.current()
      if (!turn.isOver) this.#transmit(turn, connection)
    } catch (fault) {
      turn.lost(asError(fault).message, fault)
    }
  }

  #transmit(turn: OpenTurn, connection: Connection): void {
    const { requestId, outgoing } = turn
    const { sessionId } = this.#link.visit
    connection.tell("send_message", { requestId, sessionId, message: outgoing?.text, ...outgoing?.members })
    turn.sent(connection.serverTime)
  }

  #cancel(turn: OpenTurn): void {
    if (turn.isOver || turn.isCancelWanted) return
    turn.isCancelWanted = true
    if (turn.phase === "unsent") return turn.fail(new TurnCancelled())
    const { live } = this.#link
    if (live !== undefined) this.#tellCancel(turn, live) // else when the turn is found again
  }

  #tellCancel(turn: OpenTurn, connection: Connection): void {
    const [oldest = turn] = this.#turns.all
    const isSecond = oldest !== turn && oldest.phase !== "unsent"
    if (isSecond && turn.phase !== "stored") return // it will be refused, and the other must not suffer
    try {
      connection.tell("cancel", { requestId: turn.requestId, sessionId: this.#link.visit.sessionId })
    } catch (fault) {
      return turn.lost(asError(fault).message, fault)
    }
    const late = () => turn.lost("the server was told to cancel the turn and did not say that it has ended")
    const timer = setTimeout(late, this.#options.timeouts.cancelMs)
    void turn.over.then(() => clearTimeout(timer))
  }

  /** A turn of somebody else, which ours may have waited for: the connection now comes in once more. */
  #strangerEnded(): void {
    const { live } = this.#link
    const waiting = this.#turns.all.filter(
      ({ isHeard, isRepeated, phase }) => !isHeard && (phase === "stored" || isRepeated),
    )
    if (live === undefined || waiting.length === 0) return
    const fail = (fault: unknown) => {
      if (live.isOver) return // the next connection sees to it
      for (const turn of waiting) turn.lost("what became of the turn could not be found out", fault)
    }
    const resume = () => void Promise.all(waiting.map((turn) => resumeTurn(turn, live, this.#resuming)))
    this.#link.rejoin(live).then(resume, fail)
  }

  #handle(turn: OpenTurn): Turn {
    const known = this.#handles.get(turn)
    if (known !== undefined) return known
    const handle = new Turn(turn, this.#controls)
    this.#handles.set(turn, handle)
    return handle
  }

  get #resuming(): Resuming {
    const { timeouts, resend } = this.#options
    return {
      timeouts,
      resend,
      newestMessages: async (connection) =>
        readPage(await this.#requests.askOn(connection, "get_conversation_messages", { limit: 100 })),
      rejoin: (connection) => this.#link.rejoin(connection),
      transmit: (turn, connection) => this.#transmit(turn, connection),
      tellCancel: (turn, connection) => this.#tellCancel(turn, connection),
      pause: (ms) => pause(ms, this.#over.signal),
    }
  }
}

function isEnd({ kind }: Said): boolean {
  return kind === "ended" || kind === "cancelled" || kind === "error"
}

/** As JSON, whatever else its object holds. */
function plain<Entry extends object>(entry: Entry): { readonly [Key in keyof Entry]: Entry[Key] } {
  return { ...entry }
}
