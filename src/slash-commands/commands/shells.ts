// The background shells of a session: list them, end one.
import { shellName } from "../../features/shells/shell-text.ts"
import { usageError } from "../arguments.ts"
import type { SlashCall, SlashGroup, SlashStep } from "../command.ts"
import { done, failed, list, querySnapshot, send } from "../steps.ts"

export const shellCommands: SlashGroup = {
  title: "Background shells",
  commands: [
    { name: "shells", help: "list background shells that run", maxArgs: 0, run: listShells },
    { name: "shell:kill", usage: "<id>", help: "end a background shell", maxArgs: 1, run: killShell },
  ],
}

function listShells(call: SlashCall): SlashStep {
  return querySnapshot(call, ({ shells }) =>
    list(
      "shells_listed",
      shells.map(({ id, command }) => shellName(id, command)),
      "No background shells",
    ),
  )
}

function killShell(call: SlashCall): SlashStep {
  const [wanted] = call.args
  if (wanted === undefined) return usageError(call)
  return querySnapshot(call, ({ shells }) => {
    const shell = shells.find(({ id }) => id === wanted)
    if (shell === undefined) return failed(`No background shell ${wanted} is running; /shells lists them`)
    return send({ type: "end-shell", shellId: shell.id }, done("shell_killed", shellName(shell.id, shell.command)))
  })
}
