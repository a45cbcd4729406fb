// One session as all its viewers see it. It starts from a snapshot and encodes everything that happens, once for all
// viewers; at any moment it has the messages for a viewer that joins, after which the same messages fit. Pure.
import type { Recorded, SessionEvent } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { PlanId, SessionId } from "../../../contract/ids.ts"
import type { ToolMode } from "../../../contract/values.ts"
import { foldTasks, taskTree, type TaskList } from "../../../features/tasks/task-list.ts"
import type { OpenApproval } from "../../../projection/open-requests.ts"
import type { SessionSnapshot } from "../../../contract/views/session-snapshot.ts"
import { foldStatus, type SessionStatus } from "../../../projection/status.ts"
import { isBusy } from "../agent-descriptions.ts"
import { lostFrames } from "../errors.ts"
import type { AgentMessage, DisplayMessage } from "../frames.ts"
import { agentFrames, liveChildren, lockChanged } from "./agent-frames.ts"
import { Conversation } from "./conversation.ts"
import { planSessionId, type ChunkType } from "./turn-frames.ts"
import { ReferenceFrames } from "./reference-frames.ts"
import { statusTexts } from "./status-line.ts"
import { Throttle } from "./throttle.ts"

const TASKS_EVERY_MS = 200
const nothing: readonly AgentMessage[] = []

export class SessionView {
  readonly sessionId: SessionId
  readonly #throttle = new Throttle()
  readonly #conversation: Conversation
  readonly #references: ReferenceFrames
  #seq: number
  #status: SessionStatus
  #toolMode: ToolMode
  #tasks: TaskList
  #children: readonly SessionId[]

  constructor(sessionId: SessionId, snapshot: SessionSnapshot) {
    this.sessionId = sessionId
    this.#seq = snapshot.seq
    this.#status = snapshot.status
    this.#toolMode = snapshot.toolMode
    this.#tasks = snapshot.tasks
    this.#children = snapshot.children
    this.#references = new ReferenceFrames(snapshot)
    this.#conversation = new Conversation(sessionId, snapshot, this.#throttle)
  }

  /** The newest event that was encoded. */
  get seq(): number {
    return this.#seq
  }

  get status(): SessionStatus {
    return this.#status
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

  /** Those that have not ended. */
  get children(): readonly SessionId[] {
    return this.#children
  }

  /** Pending approvals of this session and its descendants, oldest first. */
  get requests(): readonly OpenApproval[] {
    return this.#conversation.requests
  }

  get answeredAt(): number | undefined {
    return this.#conversation.answeredAt
  }

  get planId(): PlanId | undefined {
    return this.#conversation.plan?.id
  }

  get chunkType(): ChunkType {
    return this.planId === undefined ? "stream_chunk" : "plan_mode_stream_chunk"
  }

  get statusText(): string {
    return this.#conversation.line.text
  }

  get messages(): readonly DisplayMessage[] {
    return this.#conversation.messages
  }

  /** The text of the running turn; the turn's message will begin with it. */
  get turnText(): string {
    return this.#conversation.turnText
  }

  /** When `due` has messages. */
  get dueAt(): number | undefined {
    return this.#throttle.dueAt
  }

  /** For a viewer that joins. */
  joinMessages(): readonly AgentMessage[] {
    const text = this.turnText
    const soFar = text === "" ? nothing : [{ type: this.chunkType, text }]
    return [...this.syncMessages(), this.referenceStatus, ...this.planSyncMessages(), ...soFar, ...this.progressFrames]
  }

  /** What the running calls have printed. */
  get progressFrames(): readonly AgentMessage[] {
    return this.#conversation.progressFrames
  }

  get referenceStatus(): AgentMessage {
    return this.#references.status
  }

  syncMessages(): readonly AgentMessage[] {
    return [this.#conversationSync(), this.#taskUpdate()]
  }

  /** None outside plan mode. */
  planSyncMessages(): readonly AgentMessage[] {
    const { plan, planMessages } = this.#conversation
    if (plan === undefined) return nothing
    const { sessionId: main_session_id, statusText: status, isBusy: is_busy } = this
    const plan_session_id = planSessionId(plan.id)
    return [{ type: "plan_mode_sync", plan_session_id, main_session_id, messages: [...planMessages], status, is_busy }]
  }

  /** The messages of an item, after throttled ones that are due by now. */
  encode(item: WatchItem, now: number): readonly AgentMessage[] {
    const due = this.#throttle.due(now)
    const messages = this.#encodeItem(item, now)
    return due.length === 0 ? messages : [...due, ...messages]
  }

  /** Throttled messages that are due. */
  due(now: number): readonly AgentMessage[] {
    return this.#throttle.due(now)
  }

  #encodeItem(item: WatchItem, now: number): readonly AgentMessage[] {
    switch (item.kind) {
      case "delta":
        if (item.delta.type === "lock.changed") return [lockChanged(item.delta)]
        return this.#conversation.delta(item.delta, now)
      case "event":
        return this.#encodeEvent(item.recorded, now)
      case "streamed":
        return this.#conversation.streamed(item)
      case "lost":
        return lostFrames(item.refusal)
    }
  }

  #encodeEvent(recorded: Recorded, now: number): readonly AgentMessage[] {
    if (recorded.seq <= this.#seq) return nothing
    const { event } = recorded
    const before = this.#status
    const after = foldStatus(before, recorded)
    this.#seq = recorded.seq
    this.#status = after
    this.#children = liveChildren(this.#children, event)
    const resync = () => this.joinMessages()
    return [
      ...this.#conversation.encode(recorded, { before, after, now, resync }),
      ...this.#references.encode(recorded),
      ...this.#agents(event, before),
      ...this.#settings(recorded, now),
    ]
  }

  #agents(event: SessionEvent, { parentId }: SessionStatus): readonly AgentMessage[] {
    const model = this.#conversation.turnModel ?? this.#status.model
    return agentFrames(event, { sessionId: this.sessionId, parentId, children: this.#children, model })
  }

  #settings(recorded: Recorded, now: number): readonly AgentMessage[] {
    const { event } = recorded
    switch (event.type) {
      case "tools.selected":
        this.#toolMode = event.mode
        return [this.#conversation.line.announce(statusTexts.toolMode(event.mode))]
      case "task.added":
      case "task.changed":
      case "tasks.written":
        this.#tasks = foldTasks(this.#tasks, recorded)
        return this.#throttle.offer("tasks", TASKS_EVERY_MS, now, () => this.#taskUpdate())
      case "context.cleared":
      case "context.rewound":
        return this.#listSync()
      case "context.compacted":
        return this.isBusy ? nothing : this.#listSync()
      default:
        return nothing // encoded elsewhere, or not at all
    }
  }

  /** The current list anew. */
  #listSync(): readonly AgentMessage[] {
    return this.planId === undefined ? [this.#conversationSync()] : this.planSyncMessages()
  }

  /** The main conversation is not busy while a plan is open. */
  #conversationSync(): AgentMessage {
    return {
      type: "conversation_sync",
      session_id: this.sessionId,
      model: this.#status.model,
      messages: [...this.messages],
      status: this.statusText,
      is_busy: this.isBusy && this.planId === undefined,
      tool_mode: this.#toolMode,
      mcp_servers: [],
    }
  }

  #taskUpdate(): AgentMessage {
    const completed_count = this.#tasks.filter(({ status }) => status === "completed").length
    return { type: "task_update", task_tree: taskTree(this.#tasks), task_count: this.#tasks.length, completed_count }
  }
}
