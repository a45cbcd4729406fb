// Background shells: their start and end are stored, so that each has exactly one end. A shell belongs to the host that
// started it: the next one cannot continue it, and stores that it is lost.
import type { CommandOf } from "../../contract/commands.ts"
import type { EventOf } from "../../contract/events.ts"
import { limits } from "../../contract/limits.ts"
import { shortened } from "../../contract/text/text.ts"
import { accepted, type Decision, type Stamp } from "../../session/decision.ts"
import type { Feature } from "../../session/feature.ts"
import type { ReportOf } from "../../session/report.ts"
import type { SessionState } from "../../session/state.ts"
import type { ShellsState, ShellState } from "./state.ts"

export const shells = {
  initial: { shellCount: 0, shells: [] },
  commands: { "end-shell": endShell },
  reports: { "shell-started": startShell, "shell-exited": shellExited },
  evolve: {
    "shell.started": (state, { shellId, callId, command, process }) => ({
      shellCount: state.shellCount + 1,
      shells: [...state.shells, { id: shellId, callId, command, process, endedBy: undefined }],
    }),
    "shell.ending": (state, { shellId, by }) => ({
      shells: state.shells.map((shell) => (shell.id === shellId ? { ...shell, endedBy: by } : shell)),
    }),
    "shell.ended": (state, { shellId }) => ({ shells: state.shells.filter(({ id }) => id !== shellId) }),
  },
  effects: (state) =>
    state.shells.flatMap(({ id, endedBy }) =>
      endedBy === undefined ? [] : [{ type: "end-shell", id: `end-shell:${id}`, shellId: id } as const],
    ),
  recover: (state) => state.shells.map((shell) => endOf(shell, { outcome: "lost" })),
  beforeEnd: (state) => state.shells.map((shell) => endOf(shell, { outcome: "session-ended" })),
} satisfies Feature<ShellsState>

/** Not stored where there are too many already: the caller looks for the shell of its call. */
function startShell(state: SessionState, report: ReportOf<"shell-started">): Decision {
  if (state.life === "ended" || state.shells.length >= limits.shells) return accepted()
  const { callId, process } = report
  const command = shortened(report.command, limits.nameLength)
  return accepted({ type: "shell.started", shellId: `bash_${state.shellCount + 1}`, callId, command, process })
}

function shellExited(state: SessionState, report: ReportOf<"shell-exited">): Decision {
  const { shellId, outcome, exitCode, signal } = report
  const shell = state.shells.find(({ id }) => id === shellId)
  return shell === undefined ? accepted() : accepted(endOf(shell, { outcome, exitCode, signal }))
}

function endShell(state: SessionState, { shellId }: CommandOf<"end-shell">, { by }: Stamp): Decision {
  const shell = state.shells.find(({ id }) => id === shellId)
  return shell === undefined || shell.endedBy !== undefined
    ? accepted()
    : accepted({ type: "shell.ending", shellId, by })
}

function endOf(
  { id: shellId, command, endedBy }: ShellState,
  end: Pick<EventOf<"shell.ended">, "outcome" | "exitCode" | "signal">,
): EventOf<"shell.ended"> {
  return { type: "shell.ended", command, ...end, shellId, ...(endedBy === undefined ? {} : { by: endedBy }) }
}
