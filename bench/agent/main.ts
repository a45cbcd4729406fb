// `node bench/agent/main.ts [TASK…]`: runs the tasks and prints what passed, with steps, tokens and cost.
import { parseArgs } from "node:util"
import { startPlayer } from "./player.ts"
import { heading, lineOf, summaryOf } from "./report.ts"
import { runTasks, type TaskReport } from "./run-tasks.ts"
import { allTasks } from "./tasks/index.ts"
import type { Task } from "./task.ts"
import { configuredAgent, scriptedAgent } from "./turnhouse.ts"

const help = `Usage: node bench/agent/main.ts [TASK…] [OPTIONS]

Runs small tasks with "turnhouse run --yes" in temporary repositories and checks the result of each.

Options:
  --model M          a configured model, such as anthropic/claude-sonnet-5; its calls cost money.
                     Without it the scripted model of each task answers, and no network is used.
  --ignore-results   the scripted model gets empty tool results: a task that passes is invalid (exit code 1)
  --keep             keep the repositories and print where they are
  --json             one JSON object per task
  --list             list the tasks
  --help             this text
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: "string" },
    "ignore-results": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})

if (values.help) process.stdout.write(help)
else if (values.list) for (const { name, measures } of allTasks) console.log(`${name.padEnd(20)} ${measures}`)
else process.exitCode = await run(chosenTasks(positionals))

async function run(tasks: readonly Task[]): Promise<number> {
  const { model, "ignore-results": ignoresResults, keep, json } = values
  if (model !== undefined && ignoresResults) return usage("--ignore-results is for the scripted model")
  const player = model === undefined ? await startPlayer(tasks, ignoresResults) : undefined
  const agent = player === undefined ? configuredAgent(model ?? "") : scriptedAgent(player.server.url)
  if (!json) console.log(heading)
  const onReport = (report: TaskReport) => console.log(json ? JSON.stringify(report) : lineOf(report))
  try {
    const reports = await runTasks(tasks, agent, { keepFolders: keep, onReport })
    if (!json) console.log(summaryOf(reports))
    const wrong = reports.filter(({ problem }) => (problem === undefined) === ignoresResults)
    return wrong.length === 0 ? 0 : 1
  } finally {
    agent.close()
    await player?.server.close()
  }
}

function chosenTasks(names: readonly string[]): readonly Task[] {
  const unknown = names.filter((name) => allTasks.every((task) => task.name !== name))
  if (unknown.length > 0) process.exit(usage(`no task is named ${unknown.join(", ")}; --list shows all`))
  return names.length === 0 ? allTasks : allTasks.filter(({ name }) => names.includes(name))
}

function usage(message: string): number {
  console.error(`bench/agent: ${message}`)
  return 2
}
