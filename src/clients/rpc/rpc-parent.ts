// The parent of a session's child: typed commands, turns and events. After a restart of the child nothing is repeated:
// the turns and requests of a dead child reject with how it ended.
import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import { onAbort } from "../base/abort.ts"
import type { EventQueue } from "../base/event-queue.ts"
import { errorOf } from "../base/fault.ts"
import * as answers from "./answers.ts"
import { Flow } from "./child/flow.ts"
import type { ChildEvent, Response } from "./child/read-event.ts"
import { RestartingChild } from "./child/restarting-child.ts"
import type { Command, TurnCommand } from "./child/rpc-child.ts"
import { RpcFault, RpcTimeout, type ChildEnd } from "./faults.ts"
import { OpenTurn } from "./open-turn.ts"
import type { ApproveOptions, Attachment, CommandOptions, PromptOptions, StartOptions, TurnOptions } from "./options.ts"
import { Turn } from "./turn.ts"

/** Starts a child and waits until it is ready. If it fails, its process is gone before the fault is thrown. */
export async function startRpc(options: StartOptions = {}): Promise<RpcParent> {
  const { signal } = options
  signal?.throwIfAborted()
  const parent = new RpcParent(options)
  const removeListener = onAbort(signal, () => void parent.close())
  try {
    await parent.ready()
    return parent
  } catch (fault) {
    await parent.close().catch(() => {}) // the first fault is thrown
    signal?.throwIfAborted()
    throw fault
  } finally {
    removeListener()
  }
}

export class RpcParent implements AsyncDisposable {
  readonly #flow = new Flow()
  readonly #readers = new Set<EventQueue<ChildEvent>>()
  readonly #children: RestartingChild

  /** Use `startRpc`, which waits until the child is ready. */
  constructor(options: StartOptions) {
    this.#children = new RestartingChild(options, this.#flow, (event, weight) => {
      for (const reader of this.#readers) this.#flow.push(reader, event, weight)
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

  /** The end of the child's stderr. */
  get stderr(): string {
    return this.#children.newest.stderr
  }

  /** Resolves with how the last child ended, when no further one follows. */
  get ended(): Promise<ChildEnd> {
    return this.#children.ended
  }

  /** All frames of the child from now on, responses included. A slow reader holds the child back. */
  events(): AsyncIterableIterator<ChildEvent, undefined> {
    const onReturn = () => void this.#readers.delete(reader)
    const reader: EventQueue<ChildEvent> = this.#flow.createQueue({ onReturn })
    this.#readers.add(reader)
    return reader
  }

  prompt(message: string, { attachments = [], ...options }: PromptOptions = {}): Turn {
    const files = attachments.map(toAttachment)
    return this.#startTurn({ type: "prompt", message, ...(files.length > 0 && { attachments: files }) }, options)
  }

  followUp(message: string, options: TurnOptions = {}): Turn {
    return this.#startTurn({ type: "follow_up", message }, options)
  }

  /** Stops the running turn; no turn is running when this resolves. */
  async abort({ timeoutMs = this.#children.timeouts.abortMs, signal }: CommandOptions = {}): Promise<void> {
    await this.#request({ type: "abort" }, { timeoutMs, signal })
  }

  /** Replaces the conversation so far by a summary, and returns it. */
  async compact({ timeoutMs = this.#children.timeouts.compactMs, signal }: CommandOptions = {}): Promise<string> {
    return answers.readSummary(await this.#request({ type: "compact" }, { timeoutMs, signal }))
  }

  /** Returns the id of the new session, which a restart continues from now on. */
  async newSession(options?: CommandOptions): Promise<string> {
    const sessionId = answers.readSessionId(await this.#request({ type: "new_session" }, options))
    this.#children.setSession(sessionId)
    return sessionId
  }

  async setModel(model: string, options?: CommandOptions): Promise<string> {
    const selected = answers.readModel(await this.#request({ type: "set_model", model }, options))
    this.#children.setModel(selected)
    return selected
  }

  async getMessages(options?: CommandOptions): Promise<readonly answers.HistoryMessage[]> {
    return answers.readMessages(await this.#request({ type: "get_messages" }, options))
  }

  async getAvailableModels(options?: CommandOptions): Promise<readonly answers.AvailableModel[]> {
    return answers.readModels(await this.#request({ type: "get_available_models" }, options))
  }

  async getSessionStats(options?: CommandOptions): Promise<answers.SessionStats> {
    return answers.readStats(await this.#request({ type: "get_session_stats" }, options))
  }

  async getState(options?: CommandOptions): Promise<answers.ChildState> {
    return answers.readState(await this.#request({ type: "get_state" }, options))
  }

  async listTools(options?: CommandOptions): Promise<readonly answers.ToolEntry[]> {
    return answers.readTools(await this.#request({ type: "tools_list" }, options))
  }

  /** Answers an `approval` event. Needs `extended`. */
  async approve(approvalId: string, isApproved: boolean, { answer, ...options }: ApproveOptions = {}): Promise<void> {
    await this.#request({ type: "approve", approval_id: approvalId, approved: isApproved, answer }, options)
  }

  /** Sends a message to the running turn, which gets it at its next tool boundary. Needs `extended`. */
  async queue(message: string, options?: CommandOptions): Promise<void> {
    await this.#request({ type: "queue", message }, options)
  }

  /** Sends `shutdown`, closes the input, then SIGTERM, then SIGKILL. The process is gone when this resolves. */
  close(): Promise<ChildEnd> {
    return this.#children.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #request(command: Command, { timeoutMs, signal }: CommandOptions = {}): Promise<Response> {
    const child = await this.#children.current()
    return child.request(command, { timeoutMs: timeoutMs ?? this.#children.timeouts.commandMs, signal })
  }

  #startTurn(command: TurnCommand, options: TurnOptions): Turn {
    const turn = new OpenTurn(randomUUID(), this.#flow)
    void this.#send(turn, command, options)
    void turn.result.then(
      ({ kind }) => kind === "completed" && this.#children.markStable(),
      () => {},
    )
    return new Turn(turn, this.#flow, () => this.abort())
  }

  async #send(turn: OpenTurn, command: TurnCommand, options: TurnOptions): Promise<void> {
    try {
      const child = await this.#children.current()
      options.signal?.throwIfAborted()
      child.startTurn(turn, command)
      const stop = () => void this.#stop(turn)
      const expire = (ms: number) => {
        turn.setTimedOut(new RpcTimeout("prompt", ms))
        stop()
      }
      turn.limit(options, expire, stop)
    } catch (fault) {
      turn.fail(errorOf(fault, RpcFault))
    }
  }

  /** Aborts on the wire, so that the child is free for the next turn. Does not wait for a child that does not answer. */
  async #stop(turn: OpenTurn): Promise<void> {
    try {
      await this.abort()
      // The response to an abort comes last: a turn that is still open will not end by itself.
      turn.fail(new RpcFault("the turn was aborted, and the child did not close it"))
    } catch (fault) {
      turn.fail(errorOf(fault, RpcFault))
    }
  }
}

function toAttachment(file: string | Attachment): Attachment {
  if (typeof file === "string") return { path: resolve(file) }
  return { ...file, path: resolve(file.path) }
}
