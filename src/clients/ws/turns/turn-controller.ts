// The turns of a session: sends messages, assigns frames to turns, and resumes open turns after a reconnect. A server
// cancels whatever runs on the connection, so a cancel is sent only for the running turn.
import { pause } from "../../base/abort.ts"
import { errorOf } from "../../base/fault.ts"
import { newRequestId, type Connection, type FrameFields } from "../connection/connection.ts"
import type { FrameContent, ServerFrame } from "../connection/read-frame.ts"
import type { Requests } from "../connection/requests.ts"
import type { SessionLink } from "../connection/session-link.ts"
import type { SocketEnd } from "../connection/text-socket.ts"
import { TurnCancelled, TurnRefused, TurnTimedOut } from "../faults.ts"
import { readPage } from "../messages.ts"
import type { Limits, Resend, SendOptions, Timeouts } from "../options.ts"
import { OpenTurn } from "./open-turn.ts"
import { OpenTurns } from "./open-turns.ts"
import { resumeTurn, type ResumeContext } from "./resume-turn.ts"
import { Turn } from "./turn.ts"

export interface TurnControllerOptions {
  readonly timeouts: Timeouts
  readonly limits: Limits
  readonly resend: Resend
  readonly onJoined: (turn: Turn) => void
}

const FRAME_TOO_LARGE = 1009
/** Expired turns that are remembered, to cancel them on the next connection. */
const MAX_EXPIRED = 100

export class TurnController {
  readonly #link: SessionLink
  readonly #requests: Requests
  readonly #options: TurnControllerOptions
  readonly #turns: OpenTurns
  readonly #handles = new WeakMap<OpenTurn, Turn>()
  readonly #over = new AbortController()
  /** Turns that reached their time limit while there was no connection to cancel them on. */
  readonly #expired = new Set<string>()
  readonly #resume: ResumeContext

  constructor(link: SessionLink, requests: Requests, options: TurnControllerOptions) {
    this.#link = link
    this.#requests = requests
    this.#options = options
    this.#turns = new OpenTurns(options.limits, (turn) => options.onJoined(this.#handle(turn)))
    const newest = { limit: 100 }
    this.#resume = {
      timeouts: options.timeouts,
      resend: options.resend,
      newestMessages: async (connection) =>
        readPage(await requests.readOn(connection, "get_conversation_messages", newest)),
      rejoin: (connection) => link.rejoin(connection),
      sendMessage: (turn, connection) => this.#sendMessage(turn, connection),
      sendCancel: (turn, connection) => this.#sendCancel(turn, connection),
      pause: (ms) => pause(ms, this.#over.signal),
    }
  }

  get running(): Turn | undefined {
    const { running } = this.#turns
    return running === undefined ? undefined : this.#handle(running)
  }

  send(text: string, { model, skill, images, files, ...limits }: SendOptions): Turn {
    const fields: FrameFields = { model, skill, images: images?.map(plainCopy), files: files?.map(plainCopy) }
    const turn = new OpenTurn(newRequestId(), { text: text.toWellFormed(), fields }, this.#options.limits)
    this.#turns.add(turn)
    turn.limit(
      limits,
      (ms) => this.#expire(turn, ms),
      () => this.#cancel(turn),
    )
    if (limits.signal?.aborted === true) this.#cancel(turn)
    void this.#start(turn)
    return this.#handle(turn)
  }

  /** False when the frame is about no turn. */
  receive(frame: ServerFrame): boolean {
    const turn = this.#turns.receive(frame)
    const { live } = this.#link
    if (turn === undefined) return this.#receiveOther(frame)
    if (frame.content.kind === "ended") this.#link.markStable()
    if (turn.outgoing === undefined && isEnd(frame.content)) this.#resumeWaiting()
    if (turn.isTooLong && live !== undefined) this.#sendCancel(turn, live)
    return true
  }

  /** The next connection sends open turns from their beginning. */
  restart(): void {
    for (const turn of this.#turns.all) turn.restart()
  }

  handleLoss({ code }: SocketEnd): void {
    if (code !== FRAME_TOO_LARGE) return
    for (const turn of this.#turns.all)
      if (turn.phase === "sent")
        turn.fail(new TurnRefused("FRAME_TOO_LARGE", "the message is larger than the server accepts"))
  }

  resume(connection: Connection, isSame: boolean): void {
    for (const turn of this.#turns.all) {
      if (!isSame) turn.lose("the connection was lost, and the server no longer has the conversation")
      if (turn.isOver || turn.phase === "unsent") continue // unsent messages wait for the connection anyway
      if (turn.outgoing === undefined && turn.isSeen) continue // the server already sends it
      void resumeTurn(turn, connection, this.#resume)
    }
  }

  end(fault: Error): void {
    this.#over.abort(fault)
    for (const turn of this.#turns.all) turn.lose(fault.message, fault)
  }

  /** A frame of an ended or unknown turn. */
  #receiveOther({ requestId, content }: ServerFrame): boolean {
    const { live } = this.#link
    const hasEnded = this.#turns.hasEnded(requestId)
    if (!hasEnded && isEnd(content)) this.#resumeWaiting()
    if (requestId !== undefined && live?.hasRoom === true && this.#expired.delete(requestId) && !isEnd(content))
      live.send("cancel", { requestId, sessionId: this.#link.visit.sessionId })
    return hasEnded
  }

  #expire(turn: OpenTurn, ms: number): void {
    this.#cancel(turn)
    if (this.#link.live === undefined) this.#expired.add(turn.requestId)
    if (this.#expired.size > MAX_EXPIRED) this.#expired.clear()
    turn.fail(new TurnTimedOut(ms))
  }

  async #start(turn: OpenTurn): Promise<void> {
    try {
      const connection = await this.#link.current()
      if (!turn.isOver) this.#sendMessage(turn, connection)
    } catch (fault) {
      turn.lose(errorOf(fault).message, fault)
    }
  }

  #sendMessage(turn: OpenTurn, connection: Connection): void {
    const { requestId, outgoing } = turn
    const { sessionId } = this.#link.visit
    connection.send("send_message", { requestId, sessionId, message: outgoing?.text, ...outgoing?.fields })
    turn.markSent(connection.serverTime)
  }

  #cancel(turn: OpenTurn): void {
    if (turn.isOver || turn.isCancelRequested) return
    turn.isCancelRequested = true
    if (turn.phase === "unsent") return turn.fail(new TurnCancelled())
    const { live } = this.#link
    if (live !== undefined) this.#sendCancel(turn, live) // otherwise when the turn is resumed
  }

  #sendCancel(turn: OpenTurn, connection: Connection): void {
    const [oldest = turn] = this.#turns.all
    const isSecond = oldest !== turn && oldest.phase !== "unsent"
    if (isSecond && turn.phase !== "stored") return // the server will refuse it; a cancel would end the other turn
    try {
      connection.send("cancel", { requestId: turn.requestId, sessionId: this.#link.visit.sessionId })
    } catch (fault) {
      return turn.lose(errorOf(fault).message, fault)
    }
    const expire = () => turn.lose("the server did not end the turn after a cancel")
    const timer = setTimeout(expire, this.#options.timeouts.cancelMs)
    void turn.over.then(() => clearTimeout(timer))
  }

  /** Another client's turn ended: own turns that waited for it are resumed on the same connection. */
  #resumeWaiting(): void {
    const { live } = this.#link
    const waiting = this.#turns.all.filter(
      ({ isSeen, isRepeated, phase }) => !isSeen && (phase === "stored" || isRepeated),
    )
    if (live === undefined || waiting.length === 0) return
    const fail = (fault: unknown) => {
      if (live.isOver) return // the next connection resumes them
      for (const turn of waiting) turn.lose("the outcome of the turn could not be determined", fault)
    }
    const resume = () => void Promise.all(waiting.map((turn) => resumeTurn(turn, live, this.#resume)))
    this.#link.rejoin(live).then(resume, fail)
  }

  #handle(turn: OpenTurn): Turn {
    const handle = this.#handles.get(turn) ?? new Turn(turn, this.#requests, (own) => this.#cancel(own))
    this.#handles.set(turn, handle)
    return handle
  }
}

function isEnd({ kind }: FrameContent): boolean {
  return kind === "ended" || kind === "cancelled" || kind === "error"
}

/** Own enumerable fields only, as JSON has them. */
function plainCopy<Entry extends object>(entry: Entry): { readonly [Key in keyof Entry]: Entry[Key] } {
  return { ...entry }
}
