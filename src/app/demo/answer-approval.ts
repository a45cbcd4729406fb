// A person answers an approval of a story: here, or with any other client of the session. Without a terminal, or in a
// hurry, the story answers it with a command of its own, from another process.
import type { EventOf } from "../../contract/events.ts"
import type { ApprovalId } from "../../contract/ids.ts"
import { AppFault, exitCodes } from "../app-fault.ts"
import { programName } from "./program-name.ts"
import type { RunningStory } from "./story.ts"
import type { WatchedSession } from "./watched-session.ts"

type Decision = EventOf<"approval.decided">

/** How long a person may take. */
const PERSON_MS = 24 * 3_600_000

/** Resolves with the decision, whoever made it. A denial ends the story. */
export async function answerApproval(
  story: RunningStory,
  session: WatchedSession,
  approvalId: ApprovalId,
): Promise<Decision> {
  const decided = session.next("approval.decided", {
    where: (event) => event.approvalId === approvalId,
    patienceMs: PERSON_MS,
  })
  await askHere(story, approvalId, decided)
  const { event } = await decided
  if (event.outcome === "approved") return event
  throw new AppFault(`the call was ${event.outcome}, so the story ends here. Nothing was done.`, exitCodes.refused)
}

async function askHere({ output, workspace }: RunningStory, id: ApprovalId, decided: Promise<unknown>): Promise<void> {
  const command = `${programName()} approve ${id}`
  if (output.canAsk)
    output.say(`Answer it here, in any window that shows the session, or in another terminal with '${command}'.`)
  const answer = output.canAsk ? await askUntil(output, decided) : ""
  if (answer === undefined) return
  const denial = /^\s*no?\s*$/i.test(answer) ? ["--deny"] : []
  const args = ["approve", id, ...denial]
  const { code, stdout, stderr } = await workspace.turnhouse(args)
  if (code !== 0) return output.say(stderr.trim()) // another client was faster
  output.command(`${programName()} ${args.join(" ")}`, stdout)
}

async function askUntil(output: RunningStory["output"], decided: Promise<unknown>): Promise<string | undefined> {
  const answered = new AbortController()
  const stop = () => answered.abort()
  decided.then(stop, stop)
  return output.ask("Enter approves, n denies: ", answered.signal)
}
