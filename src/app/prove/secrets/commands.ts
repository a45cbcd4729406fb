// Commands of the program in a home with secrets. Those that read get no secret from the environment, so that they show what
// is stored.
import { entryFile } from "../../../program/program-files.ts"
import type { Plantings } from "./plantings.ts"
import type { SecretHome } from "./secret-home.ts"
import type { Sinks } from "./sinks.ts"

export interface CommandOptions {
  readonly home: SecretHome
  readonly plantings: Plantings
  readonly sinks: Sinks
  readonly sessionId: string
}

export async function lookAtCommands(options: CommandOptions): Promise<void> {
  const { home, plantings, sinks, sessionId } = options
  const { workspace } = home
  workspace.write(`documents/${plantings.word("name of a document")}.md`, `# ${plantings.text("document")}\n\nText.`)
  const wrong = workspace.writeJson("wrong.json", {
    [plantings.text("wrong setting", { kind: "environment: key" })]: 1,
  })
  const known = [
    ["knowledge", "add", workspace.path("documents"), "--org", "local"],
    ["run", "go", "--config", wrong],
    ["log", plantings.text("command line")],
  ]
  for (const args of known) look(sinks, args, await workspace.turnhouse(args, workspace.path("folder")))
  const readers = [
    ["knowledge", "ls"],
    ["knowledge", "search", "Text", "--json"],
    ["log", sessionId],
    ["log", sessionId, "--json"],
    ["export", sessionId],
    ["ls", "--all", "--json"],
    ["verify"],
    ["doctor"],
  ]
  const without = Object.keys(home.set.env).flatMap((name) => ["-u", name])
  const read = async (args: readonly string[]) =>
    look(sinks, args, await workspace.run("env", [...without, process.execPath, entryFile, ...args]))
  await Promise.all(readers.map(read))
}

function look(sinks: Sinks, args: readonly string[], { stdout, stderr }: { stdout: string; stderr: string }): void {
  sinks.look(`output of ${args[0]}`, `${stdout}\n${stderr}`)
}
