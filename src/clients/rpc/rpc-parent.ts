// The parent of one session's child: typed commands, turns, and all events. Which process answers is not its concern
// (succession.ts); what a dead child owed is never repeated: its turns and answers fail with how it ended.
import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import * as answers from "./answers.ts"
import { EventQueue } from "./event-queue.ts"
import { asError, type ChildEnd } from "./faults.ts"
import { Flow } from "./flow.ts"
import { mindTurn } from "./mind-turn.ts"
import { OpenTurn } from "./open-turn.ts"
import type { Attachment, CommandOptions, PromptOptions, StartOptions, TurnOptions } from "./options.ts"
import type { Response } from "./pending-answers.ts"
import type { ChildEvent } from "./read-event.ts"
import type { Asked, TurnCommand } from "./rpc-child.ts"
import { Succession } from "./succession.ts"
import { Turn } from "./turn.ts"

/** Starts a child and waits until it is ready. When it cannot be, its process is gone before the fault is thrown. */
export async function startRpc(options: StartOptions = {}): Promise<RpcParent> {
  const { signal } = options
  signal?.throwIfAborted()
  const parent = new RpcParent(options)
  const end = () => void parent.close()
  signal?.addEventListener("abort", end, { once: true })
  try {
    await parent.ready()
    return parent
  } catch (fault) {
    await parent.close().catch(() => {}) // what went wrong is told already
    signal?.throwIfAborted()
    throw fault
  } finally {
    signal?.removeEventListener("abort", end)
  }
}

export class RpcParent implements AsyncDisposable {
  readonly #flow = new Flow()
  readonly #readers = new Set<EventQueue<ChildEvent>>()
  readonly #children: Succession

  /** Use `startRpc`, which waits until the child is ready. */
  constructor(options: StartOptions) {
    this.#children = new Succession(options, this.#flow, (event, weight) => {
      for (const reader of this.#readers) reader.push(event, weight)
    })
    const endReaders = () => {
      for (const reader of this.#readers) reader.end()
    }
    this.#children.ended.then(endReaders, endReaders)
  }

  async ready(): Promise<void> {
    await this.#children.current()
  }

  get sessionId(): string {
    return this.#children.ready?.session_id ?? ""
  }

  get model(): string {
    return this.#children.ready?.model ?? ""
  }

  get pid(): number | undefined {
    return this.#children.newest.pid
  }

  /** The last that the child said on stderr. */
  get stderr(): string {
    return this.#children.newest.stderr
  }

  /** How the last child ended, when no other follows. */
  get ended(): Promise<ChildEnd> {
    return this.#children.ended
  }

  /** Every frame of the child from now on, answers too. A reader that does not keep up holds the child back. */
  events(): AsyncIterableIterator<ChildEvent, undefined> {
    const reader: EventQueue<ChildEvent> = new EventQueue(this.#flow, () => this.#readers.delete(reader))
    this.#readers.add(reader)
    return reader
  }

  prompt(message: string, { attachments = [], ...options }: PromptOptions = {}): Turn {
    const files = attachments.map(toAttachment)
    return this.#begin({ type: "prompt", message, ...(files.length > 0 && { attachments: files }) }, options)
  }

  followUp(message: string, options: TurnOptions = {}): Turn {
    return this.#begin({ type: "follow_up", message }, options)
  }

  /** Stops the turn that is running; none is running when this resolves. */
  async abort({ timeoutMs = this.#children.timeouts.abortMs, signal }: CommandOptions = {}): Promise<void> {
    await this.#ask({ type: "abort" }, { timeoutMs, signal })
  }

  /** Puts a summary in the place of the conversation so far, and gives it. */
  async compact({ timeoutMs = this.#children.timeouts.compactMs, signal }: CommandOptions = {}): Promise<string> {
    return answers.readSummary(await this.#ask({ type: "compact" }, { timeoutMs, signal }))
  }

  /** Gives the id of the new session, which a restart continues from now on. */
  async newSession(options?: CommandOptions): Promise<string> {
    const sessionId = answers.readSessionId(await this.#ask({ type: "new_session" }, options))
    this.#children.movedTo(sessionId)
    return sessionId
  }

  async setModel(model: string, options?: CommandOptions): Promise<string> {
    const selected = answers.readModel(await this.#ask({ type: "set_model", model }, options))
    this.#children.selectedModel(selected)
    return selected
  }

  async getMessages(options?: CommandOptions): Promise<readonly answers.HistoryMessage[]> {
    return answers.readMessages(await this.#ask({ type: "get_messages" }, options))
  }

  async getAvailableModels(options?: CommandOptions): Promise<readonly answers.AvailableModel[]> {
    return answers.readModels(await this.#ask({ type: "get_available_models" }, options))
  }

  async getSessionStats(options?: CommandOptions): Promise<answers.SessionStats> {
    return answers.readStats(await this.#ask({ type: "get_session_stats" }, options))
  }

  async getState(options?: CommandOptions): Promise<answers.ChildState> {
    return answers.readState(await this.#ask({ type: "get_state" }, options))
  }

  async listTools(options?: CommandOptions): Promise<readonly answers.ToolEntry[]> {
    return answers.readTools(await this.#ask({ type: "tools_list" }, options))
  }

  /** Answers an `approval` event; needs `extended`. */
  async approve(approvalId: string, isApproved: boolean, options?: CommandOptions): Promise<void> {
    await this.#ask({ type: "approve", approval_id: approvalId, approved: isApproved }, options)
  }

  /** Words for the running turn, which it hears at its next tool boundary; needs `extended`. */
  async queue(message: string, options?: CommandOptions): Promise<void> {
    await this.#ask({ type: "queue", message }, options)
  }

  /** Lets the child go: tells it, closes its input, then SIGTERM, then SIGKILL. It is gone when this resolves. */
  close(): Promise<ChildEnd> {
    return this.#children.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #ask(command: Asked, { timeoutMs, signal }: CommandOptions = {}): Promise<Response> {
    const child = await this.#children.current()
    return child.ask(command, { timeoutMs: timeoutMs ?? this.#children.timeouts.commandMs, signal })
  }

  #begin(command: TurnCommand, options: TurnOptions): Turn {
    const turn = new OpenTurn(randomUUID(), this.#flow)
    void this.#send(turn, command, options)
    void turn.end.then(
      ({ kind }) => kind === "completed" && this.#children.proved(),
      () => {},
    )
    return new Turn(turn, this.#flow, () => this.abort())
  }

  async #send(turn: OpenTurn, command: TurnCommand, options: TurnOptions): Promise<void> {
    try {
      const child = await this.#children.current()
      options.signal?.throwIfAborted()
      child.begin(turn, command)
      mindTurn(turn, options, () => this.abort())
    } catch (fault) {
      turn.fail(asError(fault))
    }
  }
}

function toAttachment(file: string | Attachment): Attachment {
  if (typeof file === "string") return { path: resolve(file) }
  return { ...file, path: resolve(file.path) }
}
