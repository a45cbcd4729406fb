// What a guided story is: steps that act on a real installation in a temporary folder, and check what they claim.
import type { WatchItem } from "../../contract/host-port.ts"
import { AppFault } from "../app-fault.ts"
import type { SessionView } from "../sessions/session-view.ts"
import type { Workspace } from "./workspace.ts"

export interface StoryText {
  /** The argument of `turnhouse demo`; none for the first story. */
  readonly name: string | undefined
  readonly title: string
  /** What happens in it, as a sentence. */
  readonly summary: string
}

export interface StoryStep<State> {
  readonly title: string
  /** What happens for real, and what only the script decides. Shown before the step. */
  readonly real: string
  readonly scripted: string
  readonly run: (story: RunningStory, state: State) => Promise<void>
}

/** `prepare` makes what the steps share; its processes belong to the workspace. */
export interface Story<State> extends StoryText {
  readonly prepare: (story: RunningStory) => Promise<State>
  readonly steps: readonly StoryStep<State>[]
}

/** Shows a story to its reader. */
export interface StoryOutput {
  /** Whether a person can answer. */
  readonly canAsk: boolean
  intro(story: StoryText, folder: string): void
  /** How to watch the session from elsewhere. */
  follow(ways: FollowWays): void
  /** Resolves when the reader wants to see the step. */
  step(place: { readonly number: number; readonly count: number }, step: StepText): Promise<void>
  say(text: string): void
  /** A line that a person could have typed, and what it printed. */
  command(line: string, printed?: string): void
  verified(claim: string): void
  /** Shows that work goes on which takes more than a moment. */
  progress<Value>(what: string, work: Promise<Value>): Promise<Value>
  /** A live session. To be called after its view is updated. */
  show(item: WatchItem, view: SessionView): void
  /** What one of several says or does. */
  message(from: string, text: string): void
  /** What the reader typed in one line; undefined when the signal aborts or the input ends. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>
  outro(facts: { readonly claims: number; readonly seconds: number; readonly kept: string | undefined }): void
}

export interface FollowWays {
  readonly home: string
  readonly sessionId: string
  /** The address of the page that shows the session, where the server has one. */
  readonly page: string | undefined
}

export type StepText = Pick<StoryStep<never>, "title" | "real" | "scripted">

/** What a step works with. */
export class RunningStory {
  readonly output: StoryOutput
  readonly workspace: Workspace
  #claims = 0

  constructor(output: StoryOutput, workspace: Workspace) {
    this.output = output
    this.workspace = workspace
  }

  /** How many claims were verified so far. */
  get claims(): number {
    return this.#claims
  }

  /** A claim of the story is printed only when it was found true; otherwise the story ends. */
  verify(claim: string, holds: boolean, found: unknown): void {
    if (!holds) throw new StoryFault(claim, found)
    this.#claims += 1
    this.output.verified(claim)
  }
}

/** A claim of the story is not true. */
export class StoryFault extends AppFault {
  constructor(claim: string, found: unknown) {
    super(`the story could not verify that ${claim}. Found: ${JSON.stringify(found)}. Please report it.`)
  }
}
