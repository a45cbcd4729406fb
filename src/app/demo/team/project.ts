// The project of the second story: one repository for four agents, a guard against forced pushes, and what the models say.
import type { JsonValue } from "../../../contract/values.ts"
import type { Part, Script, Step } from "../../../models/offline/part.ts"
import { createRepository } from "../repository.ts"
import type { Workspace } from "../workspace.ts"

export const agents = ["cart", "stock", "prices", "invoices"] as const
export type AgentName = (typeof agents)[number]

export const guardId = "push-guard"
export const forbiddenFile = "started.txt"
export const forcedPush = "git push --force origin main"
export const plainPush = "git push origin main"
export const watchedFile = "watched.log"

/** Every commit is checked by it: long enough that four of them have to queue. */
const commitCheck = `#!/bin/sh
sleep 1
`

/** Two processes for each agent, of which one is detached: where setsid exists, it leaves its process group too. */
const watchProgram = `tail -f "$PWD/${watchedFile}" &
nohup $(command -v setsid) tail -f "$PWD/${watchedFile}" > /dev/null 2>&1 &
wait
`

const guard = `import { allow, block, defineExtension } from "turnhouse/extension"

await defineExtension({
  hooks: {
    before_tool_call({ tool_input }) {
      return String(tool_input.command).includes("--force") ? block("Forced pushes are not allowed here.") : allow()
    },
  },
}).run()
`

const guardManifest = {
  name: guardId,
  version: "1.0.0",
  extension: {
    protocol_version: 1,
    runtime: "process",
    command: "node",
    args: ["guard.mjs"],
    permissions: ["tools.intercept"],
    hooks: [{ hook: "before_tool_call", tool: "bash", match: { input_contains: "git push" } }],
  },
}

/** US dollars for the whole tree, before and after it is raised. */
export const budgets = { usd: 2, raisedUsd: 6 }
const price = { pricePerMillion: { input: 5, output: 25 }, maxOutput: 1000, delayMs: 8 }
/** Its worst case is over the budget before it has started. */
const longAnswers = { pricePerMillion: { input: 5, output: 50 }, maxOutput: 64_000, contextWindow: 200_000, delayMs: 8 }

export interface TeamProject {
  readonly folder: string
  readonly remote: string
  readonly guardFile: string
  readonly models: { readonly plan: string; readonly report: string }
}

export async function createTeamProject(workspace: Workspace): Promise<TeamProject> {
  const model = (name: string, script: Script) => `offline/script:${workspace.writeJson(`models/${name}.json`, script)}`
  const lead = model(
    "lead",
    leadScript((name) => `offline/script:${workspace.path("models", `${name}.json`)}`),
  )
  for (const name of agents) model(name, agentScript(name))
  model("watch", { ...price, steps: [[say("I watch the log."), bash("sh ./watch.sh")]] })
  const models = { plan: model("plan", planScript), report: model("report", reportScript) }
  workspace.writeJson("home/config.json", {
    model: lead,
    budget: { usdPerTree: budgets.usd },
    tools: { allow: ["write", "bash", "subagent"] },
    extensions: { paths: [workspace.path("plugins")], failClosed: [guardId] },
  })
  workspace.writeJson(`plugins/${guardId}/.synaps-plugin/plugin.json`, guardManifest)
  const guardFile = workspace.write(`plugins/${guardId}/guard.mjs`, guard)
  workspace.write("project/watch.sh", watchProgram)
  workspace.write(`project/${watchedFile}`, "")
  const folder = workspace.path("project")
  const remote = await createRepository(workspace, folder)
  workspace.write("project/.git/hooks/pre-commit", commitCheck, 0o755)
  return { folder, remote, guardFile, models }
}

const say = (text: string): Part => ({ text })
const call = (tool: string, input: JsonValue): Part => ({ call: { tool, input } })
const bash = (command: string): Part => call("bash", { command })

const planScript: Script = {
  ...price,
  steps: [
    [say("I try to begin at once."), bash(`touch ${forbiddenFile}`)],
    [
      say(
        `# Plan\n\n${agents.map((name, index) => `${index + 1}. One agent writes and commits ${name}.txt.`).join("\n")}`,
      ),
    ],
  ],
}

function agentScript(name: AgentName): Script {
  const file = `${name}.txt`
  const steps: readonly Step[] = [
    [call("write", { path: file, content: `What the shop knows about ${name}.\n` })],
    [bash(`git add ${file} && git commit -q -m "Add ${name}"`)],
    [say(`${file} is committed.`)],
  ]
  return { ...price, steps }
}

/** A script plays one step for each earlier answer in the conversation; the third is that of the report. */
function leadScript(modelOf: (name: string) => string): Script {
  const start = (name: string, task: string, model: string) =>
    call("subagent", { task, description: name, model: modelOf(model) })
  return {
    ...price,
    steps: [
      [say("Four agents, one file each."), ...agents.map((name) => start(name, `Write and commit ${name}.txt.`, name))],
      [say("All four files are committed.")],
      [say("(The report was written by another model.)")],
      [say("I push the work."), bash(plainPush)],
      [say("And once more, with force."), bash(forcedPush)],
      [say("The guard does not allow that. The work is on the remote.")],
      [say("I push again."), bash(plainPush)],
      [say("The guard does not answer, so nothing may be pushed.")],
      [say("Four agents watch the log."), ...agents.map((name) => start(name, "Watch the log.", "watch"))],
    ],
  }
}

const reportScript: Script = {
  ...longAnswers,
  steps: [[say("-")], [say("-")], [say("The shop has a cart, a stock, prices and invoices, one file for each.")]],
}
