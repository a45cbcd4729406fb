// The first story: an agent fixes a bug, its host is killed while an approval is pending, and the push that a person then
// allows happens once.
import type { ApprovalId, PromptId } from "../../../contract/ids.ts"
import { isObject } from "../../../contract/json-object.ts"
import { principalName } from "../../../contract/rules/approval-answers.ts"
import { storyPush, storyRequest } from "../../../contract/rules/stories.ts"
import { AppFault } from "../../app-fault.ts"
import { storedLines } from "../../sessions/stored-lines.ts"
import { answerApproval } from "../answer-approval.ts"
import { isRunning } from "../end-programs.ts"
import { programName } from "../program-name.ts"
import { changedFile, createPushProject, testCommand, type PushProject } from "./project.ts"
import { pushesTo } from "../repository.ts"
import type { RunningStory, Story } from "../story.ts"
import { startSession, type StorySession } from "../story-session.ts"
import type { WatchedSession } from "../watched-session.ts"

interface PushState extends PushProject, StorySession {
  promptId: PromptId | undefined
  /** Hash of the newest event before the crash. */
  head: string
}

export const pushStory: Story<PushState> = {
  name: undefined,
  title: "one fix, one crash, one approval",
  summary:
    "An agent fixes a bug. Its host is killed while it waits for you. You approve from anywhere; the push happens once.",
  prepare,
  steps: [
    {
      title: "An agent fixes a bug, and stops before it pushes",
      real: "the files, the shell, the test, the commit, and the rule that a push needs you.",
      scripted: "what the model says and which tool it calls next.",
      run: fixBug,
    },
    {
      title: "The host is killed while it waits for you",
      real: "kill -9 of the process that runs the session. Nothing is restarted by hand.",
      scripted: "nothing.",
      run: killHost,
    },
    {
      title: "You decide, from wherever you are",
      real: "the approval: one record, bound to exactly this command. The first answer counts.",
      scripted: "the last sentence of the model.",
      run: decide,
    },
    {
      title: "The push happens once",
      real: "the push, the log of the remote, the signed export of the session.",
      scripted: "nothing.",
      run: checkPush,
    },
  ],
}

async function prepare(story: RunningStory): Promise<PushState> {
  const project = await createPushProject(story.workspace)
  return { ...project, ...(await startSession(story, project.folder)), promptId: undefined, head: "" }
}

async function fixBug(story: RunningStory, state: PushState): Promise<void> {
  const { session, folder } = state
  story.output.say(`You ask: ${storyRequest}`)
  state.promptId = await session.prompt(storyRequest)
  await session.next("approval.requested")
  const tests = callsOf(session, testCommand).map(({ outcome }) => outcome)
  story.verify("the test failed before the change and passes after it", tests.join() === "failed,done", tests)
  const changed = await story.workspace.git(["show", "--format=", "--name-only", "HEAD"], folder)
  story.verify(`the commit changes one file: ${changedFile}`, changed === changedFile, changed)
  const pushes = await pushesTo(story.workspace, state.remote)
  story.verify("nothing is pushed yet", pushes === 1, `${pushes} pushes`)
}

async function killHost(story: RunningStory, state: PushState): Promise<void> {
  const { host, session } = state
  const before = { seq: session.seq, starts: session.of("tool.started").length, asked: pendingIn(session) }
  state.head = await hashOf(state, before.seq)
  const victim = await host.next(undefined)
  story.output.command(`kill -9 ${victim.pid}`)
  process.kill(victim.pid, "SIGKILL")
  const next = await story.output.progress("waiting for the next host", host.nextOwner(session.id, victim.hostId))
  const isDead = !(await isRunning(victim.pid))
  story.verify(`process ${victim.pid} is dead; process ${next.pid} has taken over the session`, isDead, victim.pid)
  const head = await hashOf(state, before.seq)
  story.verify(`all ${before.seq} events of the session are there, byte for byte`, head === state.head, head)
  const asked = pendingIn(session)
  story.verify("the same approval is still pending", asked !== undefined && asked === before.asked, asked)
  const starts = session.of("tool.started").length
  story.verify("no command was run again", starts === before.starts, `${starts} instead of ${before.starts} starts`)
}

async function decide(story: RunningStory, { session, promptId }: PushState): Promise<void> {
  const approvalId = pendingIn(session)
  if (approvalId === undefined || promptId === undefined)
    throw new AppFault("the approval was answered before the story came to it. Start the story again.")
  story.output.say(`The agent wants to run: ${storyPush}`)
  const { by } = await answerApproval(story, session, approvalId)
  const who = by === undefined ? "" : ` by ${principalName(by.principal)}, from '${by.door}'`
  story.verify(`the call is approved${who}`, by !== undefined, by)
  await session.endOf(promptId)
  const args = ["approve", approvalId, "--deny"]
  const second = await story.workspace.turnhouse(args)
  story.output.command(`${programName()} ${args.join(" ")}`, second.stderr)
  const decisions = session.of("approval.decided").length
  story.verify("a second answer is refused; there is one decision", second.code !== 0 && decisions === 1, second)
}

async function checkPush(story: RunningStory, state: PushState): Promise<void> {
  const { session, folder, remote, head } = state
  const { output, workspace } = story
  const commits = await workspace.git(["log", "--oneline", "main"], remote)
  output.command(`git --git-dir ${remote} log --oneline main`, commits)
  const ours = await workspace.git(["rev-parse", "HEAD"], folder)
  const theirs = await workspace.git(["rev-parse", "main"], remote)
  story.verify("the remote has the commit", ours === theirs && commits.split("\n").length === 2, commits)
  const pushes = await pushesTo(story.workspace, state.remote)
  story.verify("the log of the remote has one push since the beginning", pushes === 2, `${pushes - 1} pushes`)
  const runs = callsOf(session, storyPush)
  story.verify(
    "the session has one start of the push, and one result",
    runs.length === 1 && runs[0]?.starts === 1,
    runs,
  )
  await workspace.turnhouse(["export", session.id, "session.ndjson"])
  const args = ["verify", "session.ndjson", "--head", head]
  const { code, stdout } = await workspace.turnhouse(args)
  output.command(`${programName()} ${args.join(" ")}`, stdout)
  story.verify("the signed export contains the state before the crash, unchanged", code === 0, stdout)
}

function pendingIn(session: WatchedSession): ApprovalId | undefined {
  return session.view.requests[0]?.approvalId
}

/** The calls of a command that have ended: their outcomes, and how often each was started. */
function callsOf(session: WatchedSession, command: string) {
  const called = session
    .of("tool.called")
    .filter(({ event: { input } }) => isObject(input) && input["command"] === command)
  return called.flatMap(({ event: { callId } }) => {
    const ended = session.of("tool.ended").filter(({ event }) => event.callId === callId)
    const starts = session.of("tool.started").filter(({ event }) => event.callId === callId).length
    return ended.map(({ event: { outcome } }) => ({ outcome, starts }))
  })
}

async function hashOf({ host, session }: PushState, seq: number): Promise<string> {
  for await (const { hash } of storedLines(host.log, session.id, seq - 1)) return hash
  throw new AppFault(`event ${seq} of the session is missing`)
}
