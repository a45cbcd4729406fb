// Carries out what viewers ask for, one message at a time for each of them. What the session makes of it is told to all
// by its own events; here are the acknowledgements, which follow them, and the answers of the door itself.
import type { CommandOf, SessionCommand } from "../../contract/commands.ts"
import type { HostPort, SendOutcome, SessionHandle } from "../../contract/host-port.ts"
import type { PlanId, SessionId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import { describeRefusal } from "../../contract/describe-refusal.ts"
import { treeDoor } from "../../contract/tree-door.ts"
import { lateAnswerMs, typedAnswer, type TypedAnswer } from "../../contract/typed-answer.ts"
import type { By } from "../../contract/values.ts"
import { planInput } from "../../protocols/ipc/view/conversation.ts"
import type { AgentMessage, ViewerMessage } from "../../protocols/ipc/frames.ts"
import { runSlash, type SlashPort } from "../../slash-commands/run.ts"
import { resolveSlash } from "../../slash-commands/resolve.ts"
import { agentsIn } from "./agent-folder.ts"
import { ack, inputRefusal, planRefusal, problem, spawnRefusal } from "../../protocols/ipc/errors.ts"
import { contextFiles } from "./context-files.ts"
import type { Frame } from "./frame.ts"
import type { LiveView } from "./live-view.ts"
import { LockDesk } from "./lock-handler.ts"

export interface DeskDeps {
  readonly sessionId: SessionId
  readonly folder: string
  readonly port: HostPort
  readonly by: By
  readonly live: LiveView
  readonly newId: () => string
  readonly newSessionId: () => SessionId
  readonly now: () => number
  readonly blockedCommands: readonly string[]
  /** How long a lock stays whose takers are gone without a word. */
  readonly lockGraceMs: number
  readonly warn: (message: string) => void
  /** The session was told to end. */
  readonly onExit: (reason: string) => void
}

/** Whoever sent the message. */
export interface Asker {
  /** For this one alone. */
  answer(message: AgentMessage): void
  /** The same, encoded already. */
  tell(frame: Frame): void
  /** Writes what waits, then closes. */
  end(): void
}

type Of<Type extends ViewerMessage["type"]> = Extract<ViewerMessage, { type: Type }>

const exitReason = "Exit requested"

export class Desk {
  readonly #deps: DeskDeps
  readonly #slashPort: SlashPort
  readonly #locks: LockDesk
  /** Those who said that they leave. */
  readonly #leaving = new WeakSet<Asker>()

  constructor(deps: DeskDeps) {
    this.#deps = deps
    this.#locks = new LockDesk({ ...deps, graceMs: deps.lockGraceMs, say: (message) => deps.live.say(message) })
    this.#slashPort = {
      send: (command) => this.#send(command),
      prompt: (text) => this.#send(this.#prompt(text, "wait")),
      sendTo: (sessionId, command) => this.#sendTo(sessionId, deps.by, command),
      query: (query) => deps.port.query(query),
    }
  }

  /** What it took stays if it said that it leaves. */
  left(asker: Asker): void {
    if (!this.#leaving.has(asker)) this.#locks.left(asker)
  }

  close(): void {
    this.#locks.close()
  }

  /** Somebody came in: whoever wanted it to end when its work is done was not the last. */
  async stay(): Promise<void> {
    await this.#sendTo(this.#deps.sessionId, this.#deps.by, { type: "stay" })
  }

  async carryOut(asker: Asker, message: ViewerMessage): Promise<void> {
    switch (message.type) {
      case "user_input":
        return this.#userInput(asker, message)
      case "queue_message":
        return this.#queue(asker, message)
      case "cancel":
        return this.#acknowledged(asker, message, { type: "interrupt" })
      case "sync_request":
        return this.#deps.live.sync.forEach((frame) => asker.tell(frame))
      case "detach":
        return this.#detach(asker, message)
      case "exit":
        return this.#exit(asker)
      case "slash_command":
        return this.#slash(asker, message)
      case "set_tool_mode":
        return this.#acknowledged(asker, message, { type: "select-tools", mode: message.mode })
      case "list_agents":
        return this.#listAgents(asker)
      case "spawn_agent":
        return this.#spawn(asker, message)
      case "notify_children":
        return this.#notifyChildren(asker, message)
      case "parent_signal":
        return this.#parentSignal(asker, message)
      case "disconnect":
        this.#leaving.add(asker)
        this.#deps.live.say(ack(message.type))
        return asker.end()
      case "acquire_lock":
        return this.#locks.acquire(asker, message)
      case "release_lock":
        return this.#locks.release(asker, message)
      case "query_locks":
        return this.#locks.list(asker, message)
      case "update_lock_status":
        return this.#locks.setStatus(asker, message)
      case "enter_plan_mode":
        return this.#planMode(asker, { type: "enter-plan", ...focusOf(message) })
      case "exit_plan_mode":
        return this.#planMode(asker, { type: "exit-plan" })
      case "plan_mode_user_input":
        return this.#planInput(asker, message)
      case "plan_mode_sync_request":
        return this.#deps.live.planSync.forEach((frame) => asker.tell(frame))
    }
  }

  /** The session itself acknowledges words, when they are stored. */
  async #userInput(asker: Asker, message: Of<"user_input" | "plan_mode_user_input">, planId?: PlanId): Promise<void> {
    const { type, content, context_files: paths = [] } = message
    const answer = paths.length === 0 ? this.#typedAnswer(content) : undefined
    if (answer !== undefined) return this.#answerRequest(asker, type, answer)
    const { port, sessionId, live } = this.#deps
    const { attachments, problems } = await contextFiles(port, sessionId, paths)
    for (const text of problems) live.say({ type: "toast", message: text, duration_ms: 3000 })
    if (content.trim() === "" && attachments.length === 0) return asker.answer(problem(`${type}: content is empty`))
    const sent = await this.#send({
      ...this.#prompt(content, "wait"),
      ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
      ...(planId === undefined ? {} : { planId, reference: planInput }),
    })
    if (sent.kind === "refused") asker.answer(inputRefusal(sent.refusal))
  }

  /** Words for the plan must not end up in the conversation because somebody left plan mode meanwhile. */
  async #planInput(asker: Asker, message: Of<"plan_mode_user_input">): Promise<void> {
    const { planId } = this.#deps.live.view
    if (planId === undefined) return asker.answer(inputRefusal({ code: "plan.not-in" }))
    await this.#userInput(asker, message, planId)
  }

  /** What becomes of it is told by the session itself. */
  async #planMode(asker: Asker, command: CommandOf<"enter-plan" | "exit-plan">): Promise<void> {
    const sent = await this.#send(command)
    if (sent.kind === "refused") asker.answer(planRefusal(sent.refusal))
  }

  async #queue(asker: Asker, { type, content }: Of<"queue_message">): Promise<void> {
    if (content.trim() === "") return asker.answer(problem("queue_message: content is empty"))
    const answer = this.#typedAnswer(content)
    if (answer !== undefined) return this.#answerRequest(asker, type, answer)
    const sent = await this.#send(this.#prompt(content, "steer"))
    if (sent.kind === "refused") asker.answer(inputRefusal(sent.refusal))
  }

  /** While a request is open, or was until a moment ago, a plain word is its answer and never a prompt. */
  #typedAnswer(content: string): TypedAnswer | undefined {
    const { live, now } = this.#deps
    const { requests, answeredAt } = live.view
    const isLate = answeredAt !== undefined && now() - answeredAt < lateAnswerMs
    return requests.length > 0 || isLate ? typedAnswer(content) : undefined
  }

  /** As the command of that name does it; what was decided is told by the session itself. */
  async #answerRequest(asker: Asker, type: ViewerMessage["type"], { command, which }: TypedAnswer): Promise<void> {
    const { live, newSessionId, now } = this.#deps
    const resolved = resolveSlash(live.view, command, which === undefined ? [] : [which], {
      blocked: [],
      newSessionId,
      now,
    })
    const { result } = await runSlash(resolved, this.#slashPort)
    if (result.success) live.say(ack(type))
    else asker.answer(problem(result.error ?? "The answer was not accepted"))
  }

  async #detach(asker: Asker, message: Of<"detach">): Promise<void> {
    const end = { type: "end", when: "idle", reason: "Its work is done" } as const
    await this.#acknowledged(asker, message, message.exit_when_done ? end : { type: "stay" })
    this.#leaving.add(asker)
    asker.end()
  }

  async #exit(asker: Asker): Promise<void> {
    const sent = await this.#send({ type: "end", when: "now", reason: exitReason })
    if (sent.kind === "refused") return asker.answer(problem(describeRefusal(sent.refusal)))
    this.#deps.live.say(ack("exit"))
    this.#deps.onExit(exitReason)
  }

  async #slash(asker: Asker, { command, args }: Of<"slash_command">): Promise<void> {
    const { live, blockedCommands: blocked, newSessionId, now } = this.#deps
    const resolved = resolveSlash(live.view, command, args, { blocked, newSessionId, now })
    const { result, exits } = await runSlash(resolved, this.#slashPort)
    live.say(result)
    if (exits) await this.#exit(asker)
  }

  async #listAgents(asker: Asker): Promise<void> {
    const { folder, now } = this.#deps
    asker.answer({ type: "agent_list", agents: [...(await agentsIn(folder, now()))] })
  }

  /** The session tells of the child; that it can be reached is waited for there. */
  async #spawn(asker: Asker, { model, reason, working_directory: cwd }: Of<"spawn_agent">): Promise<void> {
    const { live, newSessionId, sessionId } = this.#deps
    const spawn = {
      type: "spawn",
      childId: newSessionId(),
      reason: reason === null || reason === undefined || reason === "" ? "Child agent" : short(reason),
      ...(model ? { model: short(model) } : {}),
      ...(cwd ? { cwd } : {}),
    } as const
    const { depth } = live.view.status
    const sent = await this.#send(spawn)
    if (sent.kind === "refused") asker.answer(spawnRefusal(sent.refusal, { id: sessionId, depth }))
  }

  async #notifyChildren(asker: Asker, { type, action }: Of<"notify_children">): Promise<void> {
    const { live, sessionId } = this.#deps
    const children_notified = [...live.view.children]
    const sent = await this.#send({ type: "signal-children", action: childActions[action].action })
    if (sent.kind === "refused") return asker.answer(problem(describeRefusal(sent.refusal)))
    const reason = `NotifyChildren action: ${childActions[action].name}`
    live.say({ type: "agent_exiting", session_id: sessionId, reason, children_notified })
    live.say(ack(type))
  }

  /** Only the parent itself has a say here, and its word counts as such. */
  async #parentSignal(asker: Asker, { signal, parent_session_id: parent }: Of<"parent_signal">): Promise<void> {
    const { live, sessionId } = this.#deps
    if (live.view.status.parentId !== parent) return asker.answer(problem("Not my parent"))
    const by = { principal: `session ${parent}`, door: treeDoor }
    const sent = await this.#sendTo(sessionId, by, parentCommands[signal])
    if (sent.kind === "refused") asker.answer(problem(describeRefusal(sent.refusal)))
  }

  async #acknowledged(asker: Asker, { type }: ViewerMessage, command: SessionCommand): Promise<void> {
    const sent = await this.#send(command)
    if (sent.kind === "refused") asker.answer(problem(describeRefusal(sent.refusal)))
    else this.#deps.live.say(ack(type))
  }

  #prompt(text: string, ifBusy: "wait" | "steer"): CommandOf<"prompt"> {
    return { type: "prompt", promptId: `prm_${this.#deps.newId()}`, text: text.toWellFormed(), ifBusy }
  }

  #send(command: SessionCommand): Promise<SendOutcome> {
    return this.#sendBy(this.#deps.live.handle, command)
  }

  async #sendTo(sessionId: SessionId, by: By, command: SessionCommand): Promise<SendOutcome> {
    const opened = await this.#deps.port.open(sessionId, by)
    return opened.kind === "refused" ? opened : this.#sendBy(opened.handle, command)
  }

  /** What is said about it comes after what all were told of it. */
  async #sendBy(handle: SessionHandle, command: SessionCommand): Promise<SendOutcome> {
    const sent = await handle.send(command)
    if (sent.kind === "accepted" && handle.sessionId === this.#deps.sessionId) await this.#deps.live.seen(sent.seq)
    return sent
  }
}

const childActions = {
  shutdown_if_idle: { action: "shutdown-if-idle", name: "ShutdownIfIdle" },
  force_shutdown: { action: "force-shutdown", name: "ForceShutdown" },
  detach: { action: "detach", name: "Detach" },
} as const

const parentCommands = {
  parent_exiting: { type: "end", when: "idle", parentExits: true, reason: "Parent is exiting" },
  shutdown: { type: "end", when: "now", reason: "Parent requested shutdown" },
  detached: { type: "orphan" },
} as const satisfies Record<Of<"parent_signal">["signal"], SessionCommand>

function focusOf({ focus }: Of<"enter_plan_mode">): { readonly focus?: string } {
  return focus === null || focus === undefined || focus.trim() === "" ? {} : { focus: short(focus.trim()) }
}

function short(text: string): string {
  return text.slice(0, limits.nameLength).toWellFormed()
}
