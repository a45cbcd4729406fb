// One session as all its viewers see it. A scene goes in, then everything that happens, in order; messages for all come
// out, and at any moment a greeting for one who comes in, after which the same messages fit. Pure: no socket, no clock.
import type { Recorded, SessionEvent } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { PlanId, SessionId } from "../../../contract/ids.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import { describeRefusal } from "../../../contract/describe-refusal.ts"
import type { ToolMode } from "../../../contract/values.ts"
import { foldStatus, type SessionStatus } from "../../../projection/status.ts"
import { foldTasks, taskTree, type TaskList } from "../../../features/tasks/task-list.ts"
import type { Request } from "./approval-text.ts"
import { Conversation } from "./conversation.ts"
import { familyFrames, livingChildren } from "./agent-frames.ts"
import type { AgentMessage, AgentMetadata, DisplayMessage } from "../frames.ts"
import { lockChanged } from "./lock-frames.ts"
import { marksAfter } from "./checkpoints.ts"
import { metadataOf } from "../agent-metadata.ts"
import { Pace } from "./throttle.ts"
import { planSessionId, type ChunkType } from "./plan-frames.ts"
import type { Mark, SessionSnapshot } from "../../../projection/session-snapshot.ts"
import { ToldReferences } from "./reference-frames.ts"
import { statusWords } from "./status-text.ts"

export interface ViewOptions {
  readonly mcpServers?: readonly string[]
}

const tasksEveryMs = 200
const nothing: readonly AgentMessage[] = []

export class IpcView {
  readonly sessionId: SessionId
  readonly #mcpServers: readonly string[]
  readonly #pace = new Pace()
  readonly #conversation: Conversation
  #seq: number
  #status: SessionStatus
  #toolMode: ToolMode
  #tasks: TaskList
  #marks: readonly Mark[]
  #children: readonly SessionId[]
  readonly #references: ToldReferences

  constructor(sessionId: SessionId, scene: SessionSnapshot, { mcpServers = [] }: ViewOptions = {}) {
    this.sessionId = sessionId
    this.#mcpServers = mcpServers
    this.#seq = scene.seq
    this.#status = scene.status
    this.#toolMode = scene.toolMode
    this.#tasks = scene.tasks
    this.#marks = scene.marks
    this.#children = scene.children
    this.#references = new ToldReferences(scene)
    this.#conversation = new Conversation(sessionId, scene, this.#pace)
  }

  /** The newest event that viewers were told of. */
  get seq(): number {
    return this.#seq
  }

  get status(): SessionStatus {
    return this.#status
  }

  get model(): string {
    return this.#status.model
  }

  get isBusy(): boolean {
    return isBusy(this.#status)
  }

  get toolMode(): ToolMode {
    return this.#toolMode
  }

  get tasks(): TaskList {
    return this.#tasks
  }

  get marks(): readonly Mark[] {
    return this.#marks
  }

  /** Those that live. */
  get children(): readonly SessionId[] {
    return this.#children
  }

  /** What waits for a person here and in descendants, oldest first. */
  get requests(): readonly Request[] {
    return this.#conversation.requests
  }

  /** When one of them was last answered. */
  get answeredAt(): number | undefined {
    return this.#conversation.answeredAt
  }

  get planId(): PlanId | undefined {
    return this.#conversation.plan?.id
  }

  /** What pieces of text are told as. */
  get chunkType(): ChunkType {
    return this.planId === undefined ? "stream_chunk" : "plan_mode_stream_chunk"
  }

  get statusText(): string {
    return this.#conversation.line.text
  }

  get messages(): readonly DisplayMessage[] {
    return this.#conversation.messages
  }

  /** What the running turn has said so far; its last message will begin with it. */
  get catchUp(): string {
    return this.#conversation.said
  }

  /** When `due` has something to tell. */
  get dueAt(): number | undefined {
    return this.#pace.dueAt
  }

  /** For one who comes in; what is told to all from here on follows it. */
  greeting(): readonly AgentMessage[] {
    const text = this.catchUp
    const soFar = text === "" ? nothing : [{ type: this.chunkType, text }]
    return [...this.sync(), this.seal, ...this.planSync(), ...soFar]
  }

  /** What is known of references. */
  get seal(): AgentMessage {
    return this.#references.status
  }

  sync(): readonly AgentMessage[] {
    return [this.#conversationSync(), this.#taskUpdate()]
  }

  /** What is open beside the main conversation. */
  planSync(): readonly AgentMessage[] {
    const { plan, planMessages } = this.#conversation
    if (plan === undefined) return nothing
    const plan_session_id = planSessionId(plan.id)
    const messages = [...planMessages]
    const { sessionId: main_session_id, statusText: status, isBusy: is_busy } = this
    return [{ type: "plan_mode_sync", plan_session_id, main_session_id, messages, status, is_busy }]
  }

  metadata(pid: number | null, now: number): AgentMetadata {
    return metadataOf(this.sessionId, this.#status, { pid, activeAt: now, isBusy: this.isBusy })
  }

  /** What all viewers are told of it, after what was held back for a while and is due by now. */
  tell(item: WatchItem, now: number): readonly AgentMessage[] {
    const due = this.#pace.due(now)
    const told = this.#tellItem(item, now)
    return due.length === 0 ? told : [...due, ...told]
  }

  /** What was held back until now. */
  due(now: number): readonly AgentMessage[] {
    return this.#pace.due(now)
  }

  #tellItem(item: WatchItem, now: number): readonly AgentMessage[] {
    switch (item.kind) {
      case "delta":
        return item.delta.type === "lock.changed"
          ? [lockChanged(item.delta)]
          : this.#conversation.delta(item.delta, now)
      case "event":
        return this.#tellEvent(item.recorded, now)
      case "streamed":
        return this.#conversation.streamed(item)
      case "lost":
        return lost(item.refusal)
    }
  }

  #tellEvent(recorded: Recorded, now: number): readonly AgentMessage[] {
    if (recorded.seq <= this.#seq) return nothing
    const { event } = recorded
    const before = this.#status
    this.#seq = recorded.seq
    this.#status = foldStatus(before, recorded)
    this.#marks = marksAfter(this.#marks, event)
    this.#children = livingChildren(this.#children, event)
    const told = this.#conversation.tell(recorded, {
      before,
      after: this.#status,
      now,
      greeting: () => this.greeting(),
    })
    const references = this.#references.tell(recorded)
    return [...told, ...references, ...this.#family(event, before), ...this.#settings(recorded, now)]
  }

  #family(event: SessionEvent, before: SessionStatus): readonly AgentMessage[] {
    const { sessionId } = this
    const model = this.#conversation.turnModel ?? this.model
    return familyFrames(event, { sessionId, parentId: before.parentId, children: this.#children, model })
  }

  #settings(recorded: Recorded, now: number): readonly AgentMessage[] {
    const { event } = recorded
    switch (event.type) {
      case "tools.selected":
        this.#toolMode = event.mode
        return [this.#conversation.line.announce(statusWords.toolMode(event.mode))]
      case "task.added":
      case "task.changed":
        this.#tasks = foldTasks(this.#tasks, recorded)
        return this.#pace.offer("tasks", tasksEveryMs, now, () => this.#taskUpdate())
      case "context.cleared":
      case "context.rewound":
        return this.#listSync()
      case "context.compacted":
        return this.isBusy ? nothing : this.#listSync()
      default:
        return nothing // told elsewhere, or not at all
    }
  }

  /** The list that is talked in, anew. */
  #listSync(): readonly AgentMessage[] {
    return this.planId === undefined ? [this.#conversationSync()] : this.planSync()
  }

  /** The main conversation rests while a plan is made. */
  #conversationSync(): AgentMessage {
    return {
      type: "conversation_sync",
      session_id: this.sessionId,
      model: this.model,
      messages: [...this.messages],
      status: this.statusText,
      is_busy: this.isBusy && this.planId === undefined,
      tool_mode: this.#toolMode,
      mcp_servers: [...this.#mcpServers],
    }
  }

  #taskUpdate(): AgentMessage {
    const completed_count = this.#tasks.filter(({ status }) => status === "completed").length
    return { type: "task_update", task_tree: taskTree(this.#tasks), task_count: this.#tasks.length, completed_count }
  }
}

export function isBusy({ inTurn, compacting }: SessionStatus): boolean {
  return inTurn || compacting
}

/** A host that leaves says so by leaving; all else is a fault that ends the session for its viewers. */
function lost(refusal: Refusal): readonly AgentMessage[] {
  if (refusal.code === "host.gone" || refusal.code === "host.leaving") return nothing
  return [{ type: "error", message: describeRefusal(refusal), fatal: true }]
}
