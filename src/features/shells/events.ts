// Background shells: commands that run on after the call that started them.
import { z } from "zod"
import { command, durable } from "../../contract/define.ts"
import { CallId, ShellId } from "../../contract/ids.ts"
import { By, ToolProcess } from "../../contract/values.ts"

/** Stored before the command runs, after the intent of its call. */
const ShellStarted = durable("shell.started", 1, {
  shellId: ShellId,
  callId: CallId,
  /** Its beginning, for people. */
  command: z.string(),
  process: ToolProcess,
})
const ShellEnding = durable("shell.ending", 1, { shellId: ShellId, by: By })
const ShellEnded = durable("shell.ended", 1, {
  shellId: ShellId,
  command: z.string(),
  /** `killed`: by a call of the model or by a person. `lost`: its host has ended or closed the session. */
  outcome: z.enum(["exited", "killed", "timed-out", "session-ended", "lost"]),
  exitCode: z.int().optional(),
  signal: z.string().optional(),
  /** The person who ended it. */
  by: By.optional(),
})

/** No effect on a shell that does not run. */
const EndShell = command("end-shell", { shellId: ShellId })

export const shellsContract = {
  events: [ShellStarted, ShellEnding, ShellEnded],
  commands: [EndShell],
  refusals: [],
  deltas: [],
} as const
