// The lines of a text that match a regular expression of the model. Ripgrep matches in linear time, whatever the pattern.
import { text as readText } from "node:stream/consumers"
import type { CommandDeps } from "../start-command.ts"
import type { SelectedText } from "../shell/shells.ts"
import type { ToolContext } from "../tool.ts"

/** Exit code of ripgrep for a pattern that it does not understand. */
const BAD_PATTERN = 2

export async function filterLines(
  { processes }: CommandDeps,
  { env, cwd, sessionId: owner }: Pick<ToolContext, "env" | "cwd" | "sessionId">,
  pattern: string,
  text: string,
): Promise<SelectedText> {
  if (text === "") return { kind: "text", text }
  const { rgPath } = await import("@vscode/ripgrep")
  const args = ["--no-config", "--color=never", "--no-line-number", "--text", `--regexp=${pattern}`, "-"]
  const gated = await processes.spawn({ command: rgPath, args, cwd, env, owner, stdin: { text } })
  gated.go()
  const [found, complaint, { code }] = await Promise.all([readText(gated.stdout), readText(gated.stderr), gated.exited])
  return code === BAD_PATTERN
    ? { kind: "no", reason: `The filter is not a valid regular expression: ${complaint.trim()}` }
    : { kind: "text", text: found }
}
