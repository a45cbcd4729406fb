// The conversation that is played again and again: what the scripted model answers, and what clients send. Which command
// comes next follows from the session alone, so that a client that comes back continues where it was.
import type { SessionCommand } from "../../../contract/commands.ts"
import type { EventType } from "../../../contract/events.ts"
import type { SessionState } from "../../../session/state.ts"
import type { Part } from "../../../models/offline/part.ts"
import { openChildApprovals } from "../../../features/agent-tree/state.ts"
import { openApprovals } from "../../../features/approvals/state.ts"
import { eventsOf, type History } from "./check-history.ts"
import { serverTool } from "./programs.ts"

type Below = (below: number) => number

/** How a lane plays: what its sessions can do. */
export interface PlayKind {
  readonly hasAgents: boolean
  readonly compacts: boolean
  /** Plan mode: in it the stdio child lists the messages of the plan only, and visitors have none. */
  readonly hasPlans: boolean
  /** An MCP server has a tool, and an extension changes the input of calls. */
  readonly hasPrograms: boolean
  /** The next host continues a turn that a crash left open. */
  readonly continuesTurns: boolean
  /** The model gets only the last text of earlier turns, so the script goes back. */
  readonly isCondensed: boolean
}

export interface Prompt {
  readonly kind: "prompt"
  /** Sent again after a crash with the same id, it is the same message. */
  readonly id: `prm_${string}`
  readonly text: string
  /** Through the client of the door, else through the native API. */
  readonly throughDoor: boolean
  /** Sent while the turn of the message before runs. */
  readonly isQueued: boolean
  /** The turn is interrupted. */
  readonly isInterrupted: boolean
}

/** Sent until its event is stored. */
interface Once {
  readonly kind: "once"
  readonly command: SessionCommand
  readonly event: EventType
}

type Input = Prompt | Once | { readonly kind: "compact" }

export type Next =
  | { readonly kind: "prompt"; readonly key: string; readonly prompt: Prompt }
  | { readonly kind: "command"; readonly key: string; readonly command: SessionCommand }
  | {
      readonly kind: "approval"
      readonly key: string
      readonly approvalId: `apr_${string}`
      readonly isApproved: boolean
      readonly throughDoor: boolean
    }

const call = (tool: string, input: { readonly [key: string]: string } = {}): Part => ({ call: { tool, input } })
const words = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `word ${from + index}`).join(", ")

/** The text of each answer of the script. */
export function textsOf(kind: PlayKind): readonly string[] {
  return stepsOf(kind, "").map((step) => step.flatMap((part) => ("text" in part ? [part.text] : [])).join(""))
}

/** `childModel`: of the agents that the session starts. */
export function stepsOf({ hasAgents, hasPrograms }: PlayKind, childModel: string): readonly (readonly Part[])[] {
  const task = { task: "Note it, then say so.", description: "helper", model: childModel }
  return [
    [{ reasoning: "First I look, then I note." }, { text: "I look at two things first." }, call("look"), call("look")],
    [{ text: "Now I note it, once." }, call("note")],
    [call("keep"), { text: "This one I keep as well." }, call("note")],
    [{ text: `The first part is done: ${words(0, 10)}.` }],
    [{ text: "The next call needs an approval." }, call("risky")],
    [{ text: "And another one, which may be denied." }, call("risky")],
    [{ text: "I have been answered." }],
    ...(hasAgents ? [[{ text: "An agent helps." }, call("subagent", task)], [{ text: "The agent is done." }]] : []),
    ...(hasPrograms ? [[{ text: "A server writes it down." }, call(serverTool)]] : []),
    [{ text: `A long one: ${words(10, 20)},` }, { delayMs: 280 }, { text: ` and on: ${words(30, 20)}.` }, call("note")],
    [{ reasoning: "Nothing else to do." }, { text: "All is done." }],
    [{ text: `This turn is interrupted: ${words(60, 10)}` }, { hang: true }],
  ]
}

export const childSteps: readonly (readonly Part[])[] = [
  [{ text: "The agent notes it." }, call("note")],
  [{ text: "The agent has noted it." }],
]

const once = (event: EventType, command: SessionCommand): Once => ({ kind: "once", event, command })

/** What users do between turns. An alias is of one session only. */
const actionsOf = (number: number): readonly Once[] => [
  once("session.renamed", { type: "rename", name: "a session of the proof" }),
  once("session.aliased", { type: "alias", alias: `proof-${number}` }),
  once("thinking.selected", { type: "select-thinking", level: "low" }),
  once("context.marked", { type: "mark", name: "here" }),
  once("task.added", { type: "add-task", text: "prove it" }),
  once("task.changed", { type: "change-task", task: 1, status: "completed" }),
]
const planActions: readonly Once[] = [
  once("plan.entered", { type: "enter-plan" }),
  once("plan.exited", { type: "exit-plan" }),
]

/** Turns of the script that a message starts, by the number of the message. */
export class Play {
  readonly #inputs: readonly Input[]
  readonly #number: number

  constructor(kind: PlayKind, number: number, below: Below) {
    this.#number = number
    const prompt = (name: string, more: Partial<Prompt> = {}): Prompt => {
      const text = `message ${name} of play ${number}`
      return {
        kind: "prompt",
        id: `prm_${number}-${name}`,
        text,
        throughDoor: below(2) === 0,
        isQueued: false,
        isInterrupted: false,
        ...more,
      }
    }
    this.#inputs = [
      prompt("one", { throughDoor: true }), // a visitor who has sent nothing may confirm nothing
      prompt("two", { isQueued: true, throughDoor: false }),
      ...actionsOf(number),
      ...(kind.hasPlans ? planActions : []),
      ...(kind.hasAgents ? [prompt("three")] : []),
      ...(kind.compacts ? [{ kind: "compact" } as const] : []),
      prompt("four"),
      prompt("five", { isInterrupted: true, throughDoor: false }),
    ]
  }

  /** Undefined: nothing now. `over`: everything was sent, and the session is at rest. */
  next(state: SessionState, history: History): Next | "over" | undefined {
    const answer = this.#answer(state)
    if (answer !== undefined) return answer
    if (state.turn?.parked !== undefined)
      return { kind: "command", key: `resume ${state.seq}`, command: { type: "resume" } }
    const admitted = new Set(eventsOf(history, "prompt.admitted").map(({ text }) => text))
    const isBusy = state.turn !== undefined || state.waiting.length > 0 || state.compaction !== undefined
    const index = this.#inputs.findIndex((input) => !this.#isStored(input, admitted, history))
    const input = this.#inputs[index]
    if (input === undefined) return isBusy ? this.#interrupt(state, admitted) : "over"
    if (input.kind === "compact")
      return isBusy ? undefined : { kind: "command", key: `compact ${state.seq}`, command: { type: "compact" } }
    if (input.kind === "once")
      return isBusy ? undefined : { kind: "command", key: `${input.event} ${state.seq}`, command: input.command }
    const isTime = input.isQueued ? state.turn !== undefined || !isBusy : !isBusy
    return isTime ? { kind: "prompt", key: input.text, prompt: input } : undefined
  }

  /** By turns approved and denied, whatever the seed: the number of the request decides. */
  #answer(state: SessionState): Next | undefined {
    const [open] = [...openApprovals(state), ...openChildApprovals(state)]
    if (open === undefined) return undefined
    const isApproved = (open.seq + this.#number) % 3 > 0
    return { kind: "approval", key: open.id, approvalId: open.id, isApproved, throughDoor: open.seq % 2 === 0 }
  }

  #isStored(input: Input, admitted: ReadonlySet<string>, history: History): boolean {
    if (input.kind === "prompt") return admitted.has(input.text)
    if (input.kind === "once") return history.some(({ event }) => event.type === input.event)
    return history.some(({ event }) => event.type === "context.compacted" || event.type === "compaction.failed")
  }

  #interrupt({ turn }: SessionState, admitted: ReadonlySet<string>): Next | undefined {
    const last = this.#inputs.at(-1)
    const isLast = last?.kind === "prompt" && last.isInterrupted && admitted.has(last.text)
    if (!isLast || turn?.step === undefined) return undefined
    return { kind: "command", key: `interrupt ${turn.id}`, command: { type: "interrupt", turnId: turn.id } }
  }
}

/** As the native API takes it. */
export function commandOf(next: Next): SessionCommand {
  switch (next.kind) {
    case "command":
      return next.command
    case "prompt":
      return { type: "prompt", promptId: next.prompt.id, text: next.prompt.text, ifBusy: "wait" } as const
    case "approval":
      return { type: "approve", approvalId: next.approvalId, approved: next.isApproved } as const
  }
}
