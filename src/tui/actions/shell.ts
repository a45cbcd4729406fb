// `!command`: runs in the shell of the user, in the folder of the session. Its output goes with the next prompt.
import { withoutEscapes } from "../../contract/text/text.ts"
import type { ShellRun } from "../state/screen-state.ts"
import type { ScreenControl } from "./control.ts"

/** Characters of the output that are kept: the newest. */
const MAX_OUTPUT = 30_000

export function runShell(screen: ScreenControl, command: string): void {
  const { files } = screen.place
  const { session, shell } = screen.state
  if (files === undefined) return screen.notify("info", "! is only available on the machine of the session.")
  if (session === undefined) return
  if (shell?.isRunning === true) return screen.notify("info", "A command is still running; esc stops it.")
  const { sessionId } = session
  let run: ShellRun = { command: command.trim(), output: "", isRunning: true, sessionId }
  const show = (change: Partial<ShellRun>) => {
    run = { ...run, ...change }
    screen.update({ shell: run })
  }
  const running = files.runShell(run.command, session.status.cwd, (text) =>
    show({ output: (run.output + text).slice(-MAX_OUTPUT) }),
  )
  show({ stop: running.stop })
  screen.start(async () => {
    const end = await running.ended
    show({ isRunning: false, output: `${run.output.trimEnd()}\n${end}`.trim() })
  })
}

/** As the model gets it. */
export function shellOutput(shell: ShellRun | undefined): string {
  if (shell === undefined) return ""
  return `I ran this command:\n\n$ ${shell.command}\n${withoutEscapes(shell.output)}`
}
