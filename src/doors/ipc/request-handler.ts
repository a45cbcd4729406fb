// Handles the messages of viewers, one at a time for each viewer. The session's own events show all viewers what a
// command did; this sends the acknowledgements that follow them, and the replies of the door itself.
import type { CommandOf, SessionCommand } from "../../contract/commands.ts"
import type { SendOutcome, SessionHandle } from "../../contract/host-port.ts"
import type { PlanId, SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import { boundedName } from "../../contract/text/text.ts"
import { treeDoor } from "../../contract/rules/session-settings.ts"
import { lateAnswerMs, typedFor, type TypedAnswer, type TypedReply } from "../../contract/rules/approval-answers.ts"
import type { By } from "../../contract/values.ts"
import { errorFrame, inputRefusal, refusalFrame, spawnRefusal } from "../../protocols/ipc/errors.ts"
import type { AgentMessage, MessageOf, ViewerMessage, ViewerMessages } from "../../protocols/ipc/frames.ts"
import { planInput } from "../../protocols/ipc/view/conversation.ts"
import { resolveSlash, runSlash } from "../../slash-commands/resolve.ts"
import type { SlashPort } from "../../slash-commands/command.ts"
import { agentsIn } from "./agent-folder.ts"
import { contextFiles } from "./context-files.ts"
import type { IpcDoorOptions } from "./door-options.ts"
import type { Requester } from "./frame.ts"
import type { LiveSession } from "./live-session.ts"
import { LockHandler } from "./lock-handler.ts"

export interface RequestHandlerDeps extends IpcDoorOptions {
  readonly live: LiveSession
  /** How long a lock is kept for a viewer that has disconnected without `disconnect`. */
  readonly lockGraceMs: number
  /** A viewer has ended the session. */
  readonly onExit: (reason: string) => void
}

type Handlers = { readonly [Type in keyof ViewerMessages]: (viewer: Requester, message: MessageOf<Type>) => unknown }

const exitReason = "Exit requested"

export class RequestHandler {
  readonly #deps: RequestHandlerDeps
  readonly #slashPort: SlashPort
  readonly #locks: LockHandler
  /** Viewers that sent `detach` or `disconnect`: they keep their locks. */
  readonly #leaving = new WeakSet<Requester>()
  readonly #handlers: Handlers = {
    user_input: (viewer, message) => this.#userInput(viewer, message),
    queue_message: (viewer, message) => this.#queue(viewer, message),
    cancel: (viewer, message) => this.#sendAcknowledged(viewer, message, { type: "interrupt" }),
    sync_request: (viewer) => this.#deps.live.syncFrames.forEach((frame) => viewer.send(frame)),
    detach: (viewer, message) => this.#detach(viewer, message),
    exit: (viewer) => this.#exit(viewer),
    slash_command: (viewer, message) => this.#slash(viewer, message),
    set_tool_mode: (viewer, message) =>
      this.#sendAcknowledged(viewer, message, { type: "select-tools", mode: message.mode }),
    list_agents: (viewer) => this.#listAgents(viewer),
    spawn_agent: (viewer, message) => this.#spawn(viewer, message),
    notify_children: (viewer, message) => this.#notifyChildren(viewer, message),
    parent_signal: (viewer, message) => this.#parentSignal(viewer, message),
    disconnect: (viewer, message) => this.#disconnect(viewer, message),
    acquire_lock: (viewer, message) => this.#locks.acquire(viewer, message),
    release_lock: (viewer, message) => this.#locks.release(viewer, message),
    query_locks: (viewer, message) => this.#locks.list(viewer, message),
    update_lock_status: (viewer, message) => this.#locks.setStatus(viewer, message),
    enter_plan_mode: (viewer, message) => this.#sendFor(viewer, { type: "enter-plan", ...focusOf(message) }),
    exit_plan_mode: (viewer) => this.#sendFor(viewer, { type: "exit-plan" }),
    plan_mode_user_input: (viewer, message) => this.#planInput(viewer, message),
    plan_mode_sync_request: (viewer) => this.#deps.live.planSyncFrames.forEach((frame) => viewer.send(frame)),
  }

  constructor(deps: RequestHandlerDeps) {
    this.#deps = deps
    const broadcast = (message: AgentMessage) => deps.live.broadcast(message)
    this.#locks = new LockHandler({ ...deps, graceMs: deps.lockGraceMs, broadcast })
    this.#slashPort = {
      send: (command) => this.#send(command),
      prompt: (text) => this.#send(this.#prompt(text, "wait")),
      sendTo: (sessionId, command) => this.#sendTo(sessionId, deps.by, command),
      query: (query) => deps.port.query(query),
      perform: (command) => deps.port.perform(command),
    }
  }

  disconnected(viewer: Requester): void {
    if (!this.#leaving.has(viewer)) this.#locks.disconnected(viewer)
  }

  close(): void {
    this.#locks.close()
  }

  /** A viewer has joined: a session that was to end when idle stays open. */
  async stay(): Promise<void> {
    await this.#sendTo(this.#deps.sessionId, this.#deps.by, { type: "stay" })
  }

  async handle<Type extends ViewerMessage["type"]>(viewer: Requester, message: MessageOf<Type>): Promise<void> {
    await this.#handlers[message.type](viewer, message)
  }

  /** The session's own event acknowledges a prompt, once it is stored. */
  async #userInput(
    viewer: Requester,
    message: MessageOf<"user_input" | "plan_mode_user_input">,
    planId?: PlanId,
  ): Promise<void> {
    const { type, content, context_files: paths = [] } = message
    const answer = paths.length === 0 ? this.#typedAnswer(content) : undefined
    if (answer !== undefined) return this.#answerRequest(viewer, message, answer)
    const { port, sessionId, live } = this.#deps
    const { attachments, problems } = await contextFiles(port, sessionId, paths)
    for (const text of problems) live.broadcast({ type: "toast", message: text, duration_ms: 3000 })
    if (content.trim() === "" && attachments.length === 0) return viewer.reply(errorFrame(`${type}: content is empty`))
    const prompt = {
      ...this.#prompt(content, "wait"),
      ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
      ...(planId === undefined ? {} : { planId, reference: planInput }),
    }
    await this.#sendFor(viewer, prompt, inputRefusal)
  }

  /** Names the plan, so that the prompt does not reach the main conversation when plan mode is left meanwhile. */
  async #planInput(viewer: Requester, message: MessageOf<"plan_mode_user_input">): Promise<void> {
    const { planId } = this.#deps.live.view
    if (planId === undefined) return viewer.reply(inputRefusal({ code: "plan.not-in" }))
    await this.#userInput(viewer, message, planId)
  }

  async #queue(viewer: Requester, message: MessageOf<"queue_message">): Promise<void> {
    const { content } = message
    if (content.trim() === "") return viewer.reply(errorFrame("queue_message: content is empty"))
    const answer = this.#typedAnswer(content)
    if (answer !== undefined) return this.#answerRequest(viewer, message, answer)
    await this.#sendFor(viewer, this.#prompt(content, "steer"), inputRefusal)
  }

  /** While a request is pending, or was until a moment ago, a plain "y" or "2" is its answer and never a prompt. */
  #typedAnswer(content: string): TypedAnswer | TypedReply | undefined {
    const { live, now } = this.#deps
    const { requests, answeredAt } = live.view
    const isLate = answeredAt !== undefined && now() - answeredAt < lateAnswerMs
    return typedFor(requests[0], content, isLate)
  }

  /** As the slash command of that name. */
  async #answerRequest(viewer: Requester, message: ViewerMessage, typed: TypedAnswer | TypedReply): Promise<void> {
    const { live, newSessionId, now } = this.#deps
    const options = { blocked: [], newSessionId, now }
    const resolved = resolveSlash(live.view, typed.command, argumentsOf(typed), options)
    const { result } = await runSlash(resolved, this.#slashPort)
    if (result.success) this.#acknowledge(message)
    else viewer.reply(errorFrame(result.error ?? "The answer was not accepted"))
  }

  async #detach(viewer: Requester, message: MessageOf<"detach">): Promise<void> {
    const end = { type: "end", when: "idle", reason: "Its work is done" } as const
    await this.#sendAcknowledged(viewer, message, message.exit_when_done ? end : { type: "stay" })
    this.#leaving.add(viewer)
    viewer.end()
  }

  #disconnect(viewer: Requester, message: MessageOf<"disconnect">): void {
    this.#leaving.add(viewer)
    this.#acknowledge(message)
    viewer.end()
  }

  async #exit(viewer: Requester): Promise<void> {
    if (!(await this.#sendFor(viewer, { type: "end", when: "now", reason: exitReason }))) return
    this.#acknowledge({ type: "exit" })
    this.#deps.onExit(exitReason)
  }

  async #slash(viewer: Requester, { command, args }: MessageOf<"slash_command">): Promise<void> {
    const { live, blockedCommands: blocked, newSessionId, now } = this.#deps
    const resolved = resolveSlash(live.view, command, args, { blocked, newSessionId, now })
    const { result, exits } = await runSlash(resolved, this.#slashPort)
    live.broadcast(result)
    if (exits) await this.#exit(viewer)
  }

  async #listAgents(viewer: Requester): Promise<void> {
    const { folder, now } = this.#deps
    viewer.reply({ type: "agent_list", agents: [...(await agentsIn(folder, now()))] })
  }

  /** Viewers get `agent_spawned` once the child can be reached. */
  async #spawn(viewer: Requester, { model, reason, working_directory: cwd }: MessageOf<"spawn_agent">): Promise<void> {
    const { live, newSessionId, sessionId } = this.#deps
    const parent = { id: sessionId, depth: live.view.status.depth }
    const spawn = {
      type: "spawn",
      childId: newSessionId(),
      reason: reason ? boundedName(reason) : "Child agent",
      ...(model ? { model: boundedName(model) } : {}),
      ...(cwd ? { cwd } : {}),
    } as const
    await this.#sendFor(viewer, spawn, (refusal) => spawnRefusal(refusal, parent))
  }

  async #notifyChildren(viewer: Requester, message: MessageOf<"notify_children">): Promise<void> {
    const { live, sessionId } = this.#deps
    const { action, name } = childActions[message.action]
    const children_notified = [...live.view.children]
    if (!(await this.#sendFor(viewer, { type: "signal-children", action }))) return
    const reason = `NotifyChildren action: ${name}`
    live.broadcast({ type: "agent_exiting", session_id: sessionId, reason, children_notified })
    this.#acknowledge(message)
  }

  /** Sent in the name of the parent, and only for the parent itself. */
  async #parentSignal(
    viewer: Requester,
    { signal, parent_session_id: parent }: MessageOf<"parent_signal">,
  ): Promise<void> {
    const { live, sessionId } = this.#deps
    if (live.view.status.parentId !== parent) return viewer.reply(errorFrame("Not my parent"))
    const by = { principal: `session ${parent}`, door: treeDoor }
    const sent = await this.#sendTo(sessionId, by, parentCommands[signal])
    if (sent.kind === "refused") viewer.reply(refusalFrame(sent.refusal))
  }

  async #sendAcknowledged(viewer: Requester, message: ViewerMessage, command: SessionCommand): Promise<void> {
    if (await this.#sendFor(viewer, command)) this.#acknowledge(message)
  }

  /** Whether the session accepted it; the viewer gets a refusal. */
  async #sendFor(
    viewer: Requester,
    command: SessionCommand,
    encodeRefusal: (refusal: Refusal) => AgentMessage = refusalFrame,
  ): Promise<boolean> {
    const sent = await this.#send(command)
    if (sent.kind === "refused") viewer.reply(encodeRefusal(sent.refusal))
    return sent.kind === "accepted"
  }

  #acknowledge({ type: command }: Pick<ViewerMessage, "type">): void {
    this.#deps.live.broadcast({ type: "ack", command })
  }

  #prompt(text: string, ifBusy: "wait" | "steer"): CommandOf<"prompt"> {
    return { type: "prompt", promptId: `prm_${this.#deps.newId()}`, text: text.toWellFormed(), ifBusy }
  }

  #send(command: SessionCommand): Promise<SendOutcome> {
    return this.#sendThrough(this.#deps.live.handle, command)
  }

  async #sendTo(sessionId: SessionId, by: By, command: SessionCommand): Promise<SendOutcome> {
    const opened = await this.#deps.port.open(sessionId, by)
    return opened.kind === "refused" ? opened : this.#sendThrough(opened.handle, command)
  }

  /** Resolves after all viewers were sent its events, so that replies follow them. */
  async #sendThrough(handle: SessionHandle, command: SessionCommand): Promise<SendOutcome> {
    const sent = await handle.send(command)
    if (sent.kind === "accepted" && handle.sessionId === this.#deps.sessionId) await this.#deps.live.reached(sent.seq)
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
} as const satisfies Record<MessageOf<"parent_signal">["signal"], SessionCommand>

function focusOf({ focus }: MessageOf<"enter_plan_mode">): { readonly focus?: string } {
  const text = focus?.trim() ?? ""
  return text === "" ? {} : { focus: boundedName(text) }
}

function argumentsOf(typed: TypedAnswer | TypedReply): readonly string[] {
  if (typed.command === "answer") return [typed.text]
  return typed.idPrefix === undefined ? [] : [typed.idPrefix]
}
