// The named places of a conversation, as long as one can go back to them.
import type { SessionEvent } from "../../../contract/events.ts"
import type { Mark } from "../../../projection/session-snapshot.ts"

export function marksAfter(marks: readonly Mark[], event: SessionEvent): readonly Mark[] {
  switch (event.type) {
    case "context.marked":
      return [...marks, { name: event.name, toSeq: event.toSeq }]
    case "context.rewound":
      return marks.filter(({ toSeq }) => toSeq <= event.toSeq)
    case "context.compacted":
    case "context.cleared":
    case "plan.entered":
    case "plan.exited":
      return []
    default:
      return marks // about something else
  }
}
