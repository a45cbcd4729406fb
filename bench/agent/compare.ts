// `node bench/agent/compare.ts [TASK…]`: gives a task to Turnhouse and to pi with the same scripted model, and shows side by
// side what each sends to the model.
import { parseArgs } from "node:util"
import type { Received } from "../../spec/provider-server/server.ts"
import { startPi } from "./pi.ts"
import { startPlayer } from "./player.ts"
import { sideBySide, type Column } from "./request-text.ts"
import type { Task } from "./task.ts"
import { allTasks } from "./tasks/index.ts"
import { scriptedAgent } from "./turnhouse.ts"
import { Workspace } from "./workspace.ts"

const defaultTasks = ["agents-md", "two-failures"]
const help = `Usage: node bench/agent/compare.ts [TASK…] [--full] [--width N]

Runs tasks (by default ${defaultTasks.join(" and ")}) with Turnhouse and with pi on the same scripted model and prints the
requests of both side by side: system prompt, tools, messages. pi is installed from npm on first use.

Options:
  --full      print whole texts instead of their first lines
  --width N   columns of the output (160)
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, width: { type: "string" }, help: { type: "boolean" } },
})

if (values.help === true) process.stdout.write(help)
else for (const name of positionals.length === 0 ? defaultTasks : positionals) await compare(taskNamed(name))

async function compare(task: Task): Promise<void> {
  const columns = [await column("turnhouse", task, runTurnhouse), await column("pi", task, runPi)]
  console.log(sideBySide(task, columns, { isFull: values.full, width: Number(values.width ?? 160) }))
}

type Run = (serverUrl: string, folder: string, task: Task) => Promise<string | undefined>

async function column(name: string, task: Task, run: Run): Promise<Column> {
  const player = await startPlayer([task])
  const workspace = new Workspace(task, "abcdefgh")
  try {
    await workspace.prepare()
    const fault = await run(player.server.url, workspace.folder, task)
    const requests: readonly Received[] = player.requestsOf(task)
    return { name, requests, problem: fault ?? (await workspace.problem()) }
  } finally {
    workspace.remove()
    await player.server.close()
  }
}

async function runTurnhouse(serverUrl: string, folder: string, task: Task): Promise<string | undefined> {
  const agent = scriptedAgent(serverUrl)
  try {
    if (task.isTrusted === true) await agent.trust(folder)
    const { exitCode, errors } = await agent.run(folder, task.instruction)
    return exitCode === 0 ? undefined : errors.trim().split("\n").at(-1)
  } finally {
    agent.close()
  }
}

async function runPi(serverUrl: string, folder: string, task: Task): Promise<string | undefined> {
  const pi = await startPi(serverUrl)
  try {
    return await pi.run(folder, task.instruction)
  } finally {
    pi.close()
  }
}

function taskNamed(name: string): Task {
  const task = allTasks.find((candidate) => candidate.name === name)
  if (task !== undefined) return task
  console.error(`bench/agent: no task is named ${name}; node bench/agent/main.ts --list shows all`)
  process.exit(2)
}
