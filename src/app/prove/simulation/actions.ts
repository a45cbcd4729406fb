// What clients of a simulated session can send, and which events that leads to.
import type { SessionCommand } from "../../../contract/commands.ts"
import type { EventType } from "../../../contract/events.ts"
import type { SessionState } from "../../../session/state.ts"
import type { SimulatedModel } from "./simulated-models.ts"

interface Action {
  /** When it can be sent; the client waits for it. */
  readonly when: "idle" | "busy" | "any"
  /** Undefined if the session does not allow it: it is left out. `number` counts the commands of the session. */
  readonly command: (state: SessionState, number: number) => SessionCommand | undefined
  /** Events that it causes, and that no other action is needed for. */
  readonly causes: readonly EventType[]
}

const prompt = (number: number, ifBusy: "wait" | "steer" = "wait"): SessionCommand => ({
  type: "prompt",
  promptId: `prm_${number}`,
  text: `message ${number}`,
  ifBusy,
})

const selectModel = (model: SimulatedModel): SessionCommand => ({ type: "select-model", model })

const childIdOf = (number: number) => `01890000-0000-7000-8000-${String(1000 + number).padStart(12, "0")}`

const actions = {
  prompt: { when: "idle", command: (_, number) => prompt(number), causes: [] },
  queue: { when: "busy", command: (_, number) => prompt(number), causes: [] },
  steer: { when: "busy", command: (_, number) => prompt(number, "steer"), causes: [] },
  withdraw: {
    when: "busy",
    command: ({ waiting: [first] }) => first && { type: "withdraw", promptId: first.promptId },
    causes: [],
  },
  interrupt: { when: "busy", command: () => ({ type: "interrupt" }), causes: [] },
  compact: {
    when: "idle",
    command: () => ({ type: "compact" }),
    causes: ["compaction.started", "context.compacted"],
  },
  rename: {
    when: "any",
    command: (_, number) => ({ type: "rename", name: `name ${number}` }),
    causes: ["session.renamed"],
  },
  alias: {
    when: "any",
    command: (_, number) => ({ type: "alias", alias: `alias ${number}` }),
    causes: ["session.aliased"],
  },
  "select-model": {
    when: "any",
    command: () => selectModel("other"),
    causes: ["model.selected"],
  },
  "select-broken": { when: "any", command: () => selectModel("broken"), causes: [] },
  "select-busy": { when: "any", command: () => selectModel("busy"), causes: [] },
  "select-failing": { when: "any", command: () => selectModel("failing"), causes: [] },
  "select-voting": {
    when: "any",
    command: () => ({ type: "select-voting", voting: { ahead: 2, samples: 4, parallel: 2 } }),
    causes: ["voting.selected"],
  },
  "select-tools": {
    when: "any",
    command: () => ({ type: "select-tools", mode: "Full" }),
    causes: ["tools.selected"],
  },
  "select-thinking": {
    when: "any",
    command: () => ({ type: "select-thinking", level: "low" }),
    causes: ["thinking.selected"],
  },
  "clear-context": { when: "idle", command: () => ({ type: "clear-context" }), causes: ["context.cleared"] },
  mark: {
    when: "idle",
    command: (_, number) => ({ type: "mark", name: `mark ${number}` }),
    causes: ["context.marked"],
  },
  rewind: { when: "idle", command: () => ({ type: "rewind", turns: 1 }), causes: ["context.rewound"] },
  "add-task": { when: "any", command: () => ({ type: "add-task", text: "a task" }), causes: ["task.added"] },
  "change-task": {
    when: "any",
    command: () => ({ type: "change-task", task: 1, status: "completed" }),
    causes: [],
  },
  spawn: {
    when: "any",
    command: (_, number) => ({ type: "spawn", childId: childIdOf(number), task: `task ${number}` }),
    causes: ["child.spawned", "child.ended", "child.asked", "child.answered"],
  },
  "spawn-busy": {
    when: "any",
    command: (_, number) => ({ type: "spawn", childId: childIdOf(number), task: `task ${number}`, model: "busy" }),
    causes: ["child.reported"],
  },
  "end-children": {
    when: "any",
    command: () => ({ type: "signal-children", action: "shutdown-if-idle" }),
    causes: [],
  },
  "detach-children": { when: "any", command: () => ({ type: "signal-children", action: "detach" }), causes: [] },
  revoke: {
    when: "idle",
    command: ({ grants: [first] }) => first && { type: "revoke-grant", grantId: first.grantId },
    causes: [],
  },
  stay: { when: "any", command: () => ({ type: "stay" }), causes: [] },
  resume: { when: "any", command: () => ({ type: "resume" }), causes: [] },
  "end-idle": { when: "busy", command: () => ({ type: "end", when: "idle" }), causes: ["session.ending"] },
  "end-now": { when: "any", command: () => ({ type: "end", when: "now" }), causes: ["session.ended"] },
  hibernate: { when: "any", command: () => ({ type: "hibernate" }), causes: ["session.hibernated"] },
  wake: { when: "any", command: () => ({ type: "wake" }), causes: [] },
  plan: { when: "idle", command: () => ({ type: "enter-plan" }), causes: ["plan.entered"] },
  "leave-plan": { when: "idle", command: () => ({ type: "exit-plan" }), causes: [] },
  "raise-budget": {
    when: "any",
    command: () => ({ type: "raise-budget", budget: { usd: 100 } }),
    causes: ["budget.raised"],
  },
} satisfies Record<string, Action>

export type ActionName = keyof typeof actions

function isActionName(name: string): name is ActionName {
  return name in actions
}

export const actionNames: readonly ActionName[] = Object.keys(actions).filter(isActionName)

export function actionOf(name: ActionName): Action {
  return actions[name]
}

/** Actions that lead to such an event where one alone does not, in their order. */
const together: Partial<Record<EventType, readonly ActionName[]>> = {
  "prompt.withdrawn": ["queue", "withdraw"],
  "session.kept": ["end-idle", "stay"],
  "session.reopened": ["end-now", "prompt"],
  "plan.exited": ["plan", "leave-plan"],
  "turn.parked": ["select-busy", "prompt"],
  "turn.resumed": ["select-busy", "prompt"],
  "compaction.failed": ["select-broken", "compact"],
  "model.replaced": ["select-failing", "prompt"],
  "child.detached": ["spawn", "detach-children"],
  "session.orphaned": ["spawn", "detach-children"],
  "children.signalled": ["spawn", "end-children"],
  "policy.revoked": ["revoke", "revoke"],
  "session.woken": ["hibernate", "wake"],
  "task.changed": ["add-task", "change-task"],
  "turn.adopted": ["queue", "prompt", "prompt"],
}

export function actionsFor(event: EventType): readonly ActionName[] {
  const known = together[event]
  if (known !== undefined) return known
  const causes = (name: ActionName): readonly EventType[] => actions[name].causes
  return actionNames.filter((name) => causes(name).includes(event)).slice(0, 1)
}
