// What is loaded together is one file: each file costs the start of a process about as much as 20 kB of code. A stage holds its modules
// and everything that they import, without what the stages before it hold; the rest of the program is split by its imports.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { CodeSplittingGroup } from "rolldown"
import { root } from "./programs.ts"

/** In the order in which they are loaded; each names what starts it. */
const stages: Readonly<Record<string, readonly string[]>> = {
  /** The process that writes the log; every other process has a client of it. */
  writer: ["app/host/log-writer", "app/host/early-writer"],
  /** The table of commands. */
  start: ["cli/main"],
  /** Configuration, secrets and the log, without which hardly a command works. */
  home: ["app/stdio-child/run", "cli/context-options", "config/combine-files", "app/host/open-log"],
  /** Sessions and what is folded from their events, without I/O and without what people see: for hosts and their clients. */
  core: [
    "session/evolve",
    "runner/read-folds",
    "host/links",
    "host/queries/open-requests",
    "app/host/connections",
    "models/configured-names",
    "identity/principal",
    "contract/text/quoted-passages",
    "contract/text/sentences",
    "contract/text/finish-sentence",
    "projection/transcript",
    "projection/open-requests",
    "projection/unsent-text",
    "projection/answer-sources/answer-sources",
    "projection/answer-sources/normalised",
    "projection/answer-sources/quotes",
    "projection/answer-sources/claims",
    "server/http/loopback",
  ],
  /** To find the other hosts of a home and talk to them. */
  contact: [
    "app/host/background-host",
    "app/host/home-connection",
    "app/find-by-prefix",
    "app/sessions/sessions",
    "app/settings/check-model",
    "app/signals",
  ],
  /** Commands that ask a host. */
  client: [
    "cli/commands/everyday/ls",
    "cli/commands/everyday/send",
    "cli/commands/sessions/new",
    "cli/commands/approvals/approvals",
  ],
  /** Commands that show a session of a host. */
  view: ["cli/commands/everyday/attach"],
  /** A host and its sessions. */
  engine: [
    "app/compose",
    "app/stdio-child/load-engine",
    "app/stdio-child/serve",
    "doors/rpc/door",
    "mcp/mcp-host",
    "app/settings/locks",
    "features/locks/store/locks",
    "features/locks/store/sqlite/sqlite-store",
    "config/instructions/instruction-source",
    "config/trust/trust-book",
  ],
  /** What other processes connect to. */
  doors: ["app/host/local-doors", "doors/house/door", "doors/ipc/door", "app/host/run-background-host"],
  run: ["cli/commands/everyday/run"],
  screen: ["cli/commands/everyday/open", "cli/screen/open-screen"],
  server: ["app/serve/serve", "server/network-door", "doors/ws/door"],
  /** See src/app/host/first-turn.ts. */
  turn: [
    "models/providers/adapters",
    "app/environment/environment",
    "app/settings/mcp-servers",
    "mcp/oauth/stored-login",
    "config/agents/agent-files",
  ],
}

export const stageGroups: CodeSplittingGroup[] = Object.entries(stages).map(([name, modules], index, { length }) => {
  const paths = new Set(modules.map(sourceOf))
  return { name, test: (id) => paths.has(id), priority: length - index }
})

function sourceOf(module: string): string {
  const path = join(root, `src/${module}.ts`)
  if (!existsSync(path))
    throw new Error(`scripts/build/chunks.ts: there is no src/${module}.ts. Name the module that replaced it.`)
  return path
}
