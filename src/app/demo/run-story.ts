// Runs a story from its first step to the removal of its folder, also when it fails or is interrupted.
import { RunningStory, type Story, type StoryOutput } from "./story.ts"
import { Workspace } from "./workspace.ts"

export interface StoryOptions {
  readonly output: StoryOutput
  /** Keeps the folder, for a look at what is in it. */
  readonly keeps: boolean
  /** Ends the story; its reason is the fault that is thrown. */
  readonly signal: AbortSignal
}

/** A claim that does not hold is a fault. */
export async function runStory<State>(story: Story<State>, { output, keeps, signal }: StoryOptions): Promise<void> {
  const startedAt = performance.now()
  const workspace = new Workspace()
  const running = new RunningStory(output, workspace)
  try {
    await untilAborted(runSteps(story, running), signal)
  } finally {
    await output.progress("ending the processes of the story", workspace.close(keeps))
  }
  const seconds = (performance.now() - startedAt) / 1000
  output.outro({ claims: running.claims, seconds, kept: keeps ? workspace.folder : undefined })
}

async function runSteps<State>(story: Story<State>, running: RunningStory): Promise<void> {
  const { output, workspace } = running
  output.intro(story, workspace.folder)
  const state = await output.progress("preparing the folder", story.prepare(running))
  for (const [index, step] of story.steps.entries()) {
    await output.step({ number: index + 1, count: story.steps.length }, step)
    await step.run(running, state)
  }
}

/** What is left of the work fails when its processes are ended; that is not reported. */
function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  work.catch(() => {})
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", abort))
}
