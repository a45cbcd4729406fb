// The second story: four agents in one repository, with plan mode, locks, a budget, a guard that fails closed, and a stop
// that leaves no process.
import { rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { oneLine } from "../../../contract/text/text.ts"
import type { ExtensionReport } from "../../../contract/views/host.ts"
import { AppFault } from "../../app-fault.ts"
import { ask } from "../../host/send-command.ts"
import { processesNaming } from "../end-programs.ts"
import { followAgents } from "./follow-agents.ts"
import { programName } from "../program-name.ts"
import { committedFiles, pushesTo } from "../repository.ts"
import type { RunningStory, Story } from "../story.ts"
import type { StoryHost } from "../story-host.ts"
import { startSession } from "../story-session.ts"
import { agents, budgets, createTeamProject, forbiddenFile, guardId, watchedFile, type TeamProject } from "./project.ts"
import type { WatchedSession } from "../watched-session.ts"

interface TeamState extends TeamProject {
  readonly host: StoryHost
  readonly lead: WatchedSession
}

export const teamStory: Story<TeamState> = {
  name: "team",
  title: "four agents in one repository",
  summary:
    "An agent plans, then leads four others that share a repository, a budget and a guard. At the end all are stopped.",
  prepare,
  steps: [
    {
      title: "Plan mode: thinking without changing",
      real: "plan mode is enforced where tools run, so the shell is refused although the settings allow it.",
      scripted: "the model tries to run a command anyway, then writes a plan.",
      run: planFirst,
    },
    {
      title: "Four agents commit to one repository",
      real: "four sessions at the same time, their files, git, and the locks that queue their commits.",
      scripted: "what they say. Each commit is slowed down by a hook that sleeps a second, so that you see the queue.",
      run: workTogether,
    },
    {
      title: "The budget stops a call before it is made",
      real: "the worst case of a call is reserved before it starts. Without room the agent is parked and says so.",
      scripted: "the price of the model: $50 for a million tokens of output, and answers of up to 64,000.",
      run: spend,
    },
    {
      title: "A guard that is killed blocks",
      real: "the guard is a process that checks each push. Its program is deleted and it gets a kill -9.",
      scripted: "the model pushes, pushes with force, and after the kill pushes again.",
      run: killGuard,
    },
    {
      title: "Stop means stop",
      real: "four agents with two processes each, one of them detached from its shell; the process list.",
      scripted: "that they watch a file which never changes.",
      run: stopAll,
    },
  ],
}

async function prepare(story: RunningStory): Promise<TeamState> {
  const project = await createTeamProject(story.workspace)
  const { host, session } = await startSession(story, project.folder)
  return { ...project, host, lead: session }
}

async function planFirst(story: RunningStory, { lead, folder, models }: TeamState): Promise<void> {
  await lead.send({ type: "enter-plan", focus: "four files for the shop" })
  story.output.say("You ask: Plan how four agents can write one file each.")
  await lead.endOf(await lead.prompt("Plan how four agents can write one file each.", models.plan))
  const [refused] = lead.of("tool.refused")
  const made = await story.workspace.run("ls", [forbiddenFile], folder)
  story.verify("the command was refused and has not run", refused !== undefined && made.code !== 0, refused?.event)
  await lead.send({ type: "exit-plan" })
  const exited = await lead.next("plan.exited")
  story.verify("the plan is kept for the conversation", exited.event.summary !== undefined, exited.event)
}

async function workTogether(story: RunningStory, { host, lead, folder }: TeamState): Promise<void> {
  const request = "Carry out the plan with four agents."
  story.output.say(`You ask: ${request}`)
  const promptId = await lead.prompt(request)
  const { mostWaiting, commits } = await followAgents(story, host, lead, lead.endOf(promptId))
  story.verify(`up to ${mostWaiting} agents waited for the lock at the same time`, mostWaiting > 0, mostWaiting)
  const inOrder = commits.toSorted((a, b) => a.from - b.from)
  const overlapping = inOrder.filter((one, index) => one.from < (inOrder[index - 1]?.to ?? 0))
  story.verify(
    "no two of the 4 commits ran at the same time",
    commits.length === 4 && overlapping.length === 0,
    inOrder,
  )
  const numbers = inOrder.map(({ fence }) => fence)
  const rises = numbers.every((number, index) => number > (numbers[index - 1] ?? 0))
  story.verify(`each has a higher lock number than the one before: ${numbers.join(", ")}`, rises, numbers)
  const files = await committedFiles(story.workspace, folder)
  const isOwn = files.length === agents.length && files.every((one) => one.length === 1)
  story.verify("4 commits, and each has the file of its own agent only", isOwn, files)
}

async function spend(story: RunningStory, { lead, models }: TeamState): Promise<void> {
  const request = "Write a long report."
  story.output.say(`You ask: ${request}`)
  const after = lead.seq
  const promptId = await lead.prompt(request, models.report)
  await lead.next("turn.parked", { after })
  const calls = () => lead.of("response.ended", after).length
  story.verify("the agent is parked, and no call was made", calls() === 0, calls())
  const { usd } = lead.view.state.spent
  story.verify(`$${usd.toFixed(4)} of $${budgets.usd} is spent`, usd > 0 && usd <= budgets.usd, usd)
  story.output.say(`You raise the budget to $${budgets.raisedUsd}.`)
  await lead.send({ type: "raise-budget", budget: { usd: budgets.raisedUsd } })
  await lead.endOf(promptId)
  const spent = lead.view.state.spent.usd
  story.verify(`the agent continued by itself; now $${spent.toFixed(4)} is spent`, calls() === 1 && spent > usd, spent)
}

async function killGuard(story: RunningStory, { host, lead, remote, guardFile }: TeamState): Promise<void> {
  const { output, workspace } = story
  const before = lead.seq
  output.say("You ask: Push it.")
  await lead.endOf(await lead.prompt("Push it."))
  const pushed = await pushesTo(workspace, remote)
  story.verify("the guard allowed the push; the remote has it", pushed === 2, `${pushed} pushes`)
  const blocked = lead.of("tool.refused", before).map(({ event }) => event.by)
  story.verify(`it blocked the forced push`, blocked.length === 1, blocked)
  const { pid } = await guardOf(host)
  output.command(`rm guard.mjs && kill -9 ${pid}`)
  rmSync(guardFile)
  process.kill(pid, "SIGKILL")
  const killed = lead.seq
  output.say("You ask: Push it again.")
  await output.progress("the host tries to restart the guard", lead.endOf(await lead.prompt("Push it again.")))
  const [refused] = lead.of("tool.refused", killed)
  const later = await pushesTo(workspace, remote)
  story.verify("without its guard the push did not run", refused !== undefined && later === pushed, refused?.event)
}

async function guardOf({ port }: StoryHost): Promise<{ readonly pid: number }> {
  const reports: readonly ExtensionReport[] = await ask(port, { type: "extensions" })
  const pid = reports.find(({ id }) => id === guardId)?.pid
  if (pid === undefined || pid === null) throw new AppFault("the guard of the story does not run")
  return { pid }
}

const processesOfAgents = agents.length * 2
const START_MS = 60_000

async function stopAll(story: RunningStory, { lead, folder }: TeamState): Promise<void> {
  const { output, workspace } = story
  const named = `tail -f ${folder}/${watchedFile}`
  const running = async () => (await processesNaming(named)).filter(({ commandLine }) => commandLine.startsWith("tail"))
  output.say("You ask: Let four agents watch the log.")
  await lead.prompt("Let four agents watch the log.")
  const started = await output.progress("waiting for the agents", untilCount(running, processesOfAgents))
  for (const { pid, commandLine } of started) output.say(`${String(pid).padStart(8)}  ${oneLine(commandLine, 66)}`)
  story.verify(
    `${started.length} processes of the agents are in the process list`,
    started.length >= processesOfAgents,
    started,
  )
  const args = ["stop", lead.id]
  const { stdout } = await output.progress("stopping", workspace.turnhouse(args))
  output.command(`${programName()} ${args.join(" ")}`, stdout)
  const left = await running()
  story.verify("when the command returned, none of them was left", left.length === 0, left)
}

async function untilCount<Item>(list: () => Promise<readonly Item[]>, count: number): Promise<readonly Item[]> {
  for (const deadline = performance.now() + START_MS; ; await sleep(50)) {
    const found = await list()
    if (found.length >= count) return found
    if (performance.now() > deadline) throw new AppFault(`only ${found.length} of ${count} processes were started`)
  }
}
