// The task list of a session, for the tool that writes it.
import { limits } from "../../contract/limits.ts"
import type { CallId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import type { SessionContext } from "../../runner/session-context.ts"
import type { SessionTasks } from "../../tools/tool.ts"
import type { TasksReport } from "./state.ts"
import { isSameList, numberTasks } from "./number-tasks.ts"

/** Writes that a person's change of the list may overtake before the call fails. */
const MAX_ATTEMPTS = 5

export function tasksOf(session: SessionContext, callId: CallId): SessionTasks {
  return {
    write: async (wanted) => {
      for (let attempt = 1; ; attempt++) {
        const { taskCount } = session.state
        const numbered = numberTasks(session.tasks, taskCount, wanted)
        if (numbered.some(({ task }) => task > limits.tasks))
          return { kind: "no", reason: describeRefusal({ code: "tasks.too-many", limit: limits.tasks }) }
        if (isSameList(session.tasks, numbered)) return { kind: "written", tasks: session.tasks }
        const report: TasksReport = { type: "tasks-written", callId, taskCount, tasks: [...numbered] }
        const outcome = await session.report(report)
        if (outcome.kind === "accepted") return { kind: "written", tasks: session.tasks }
        const isOvertaken = outcome.refusal.code === "report.stale" && attempt < MAX_ATTEMPTS
        if (!isOvertaken) return { kind: "no", reason: describeRefusal(outcome.refusal) }
      }
    },
  }
}
