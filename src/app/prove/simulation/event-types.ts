// Which events simulated sessions have, and why not the others. A new event does not compile before it is listed here.
import type { EventType } from "../../../contract/events.ts"

const files = "it needs files or processes outside of the simulation"
const service = "it needs a visitor of the WebSocket API"

const table: Readonly<Record<EventType, true | string>> = {
  "session.created": true,
  "session.reopened": true,
  "session.aliased": true,
  "session.orphaned": true,
  "session.renamed": true,
  "session.ending": true,
  "session.kept": true,
  "session.ended": true,
  "prompt.admitted": true,
  "prompt.promoted": true,
  "prompt.withdrawn": true,
  "turn.started": true,
  "turn.parked": true,
  "turn.resumed": true,
  "turn.adopted": true,
  "turn.ended": true,
  "step.started": true,
  "text.ended": true,
  "reasoning.ended": true,
  "response.ended": true,
  "step.ended": true,
  "tool.called": true,
  "tool.modified": true,
  "tool.refused": true,
  "tool.started": true,
  "tool.ended": true,
  "tool.unsettled": true,
  "compaction.started": true,
  "compaction.failed": true,
  "context.compacted": true,
  "context.retrieved": files,
  "context.cleared": true,
  "model.selected": true,
  "model.replaced": true,
  "tools.selected": true,
  "child.spawned": true,
  "child.reported": true,
  "child.asked": true,
  "child.answered": true,
  "child.detached": true,
  "child.ended": true,
  "children.signalled": true,
  "approval.requested": true,
  "approval.decided": true,
  "sampling.ended": files,
  "approval.bound": true,
  "policy.granted": true,
  "policy.revoked": true,
  "budget.raised": true,
  "session.hibernated": true,
  "session.woken": true,
  "plan.entered": true,
  "plan.exited": true,
  "context.rewound": true,
  "context.marked": true,
  "shell.started": files,
  "shell.ending": files,
  "shell.ended": files,
  "task.added": true,
  "task.changed": true,
  "tasks.written": true,
  "thinking.selected": true,
  "undo.started": files,
  "undo.ended": files,
  "voting.selected": true,
  "escalation.raised": service,
  "escalation.settled": service,
  "interaction.requested": service,
  "interaction.answered": service,
  "visit.opened": service,
  "visit.verified": service,
  "verification.requested": service,
  "verification.prepared": service,
  "verification.sent": service,
  "verification.failed": service,
  "workflow.judged": service,
}

function isEventType(name: string): name is EventType {
  return name in table
}

const all = Object.keys(table).filter(isEventType)

export const simulatedEvents: readonly EventType[] = all.filter((type) => table[type] === true)

export const notSimulated: readonly { readonly event: EventType; readonly why: string }[] = all.flatMap((event) => {
  const why = table[event]
  return why === true ? [] : [{ event, why }]
})
