// What a feature may add to a session. Everything here is pure; the runner's part of a feature is in its effects.ts.
import type { CommandOf, SessionCommand } from "../contract/commands.ts"
import type { EventOf, EventType, SessionEvent } from "../contract/events.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { Role, Who } from "../contract/values.ts"
import type { Decision, Stamp } from "./decision.ts"
import type { Effect, AnswerPart, CallReady, CallSettled, ReportOf, RunnerReport } from "./report.ts"
import type { CallState, SessionState } from "./state.ts"

export type CommandType = SessionCommand["type"]
export type ReportType = RunnerReport["type"]

/** What an event changes of the feature's own state. It sees the state before the event; `seq` is the event's. */
export type Fold<Type extends EventType, State = Partial<SessionState>> = (
  state: SessionState,
  event: EventOf<Type>,
  seq: number,
) => Patch<State>

/** Fields of other features cannot be changed. */
export type Patch<State> = Partial<State> & { readonly [Other in Exclude<keyof SessionState, keyof State>]?: never }

/** What an event of a feature changes of the call that it is about. */
export type CallChange = Pick<CallState, "id"> & Partial<Pick<CallState, "phase" | "approvedDigest">>

/** Refuses a command that the caller may not send; a role stands for "only with this role". */
export type AccessRule<Type extends CommandType> =
  | Role
  | ((state: SessionState, command: CommandOf<Type>, who: Who) => Refusal | undefined)

export interface Feature<State = Partial<SessionState>> {
  readonly initial: State
  readonly commands?: {
    readonly [Type in CommandType]?: (state: SessionState, command: CommandOf<Type>, stamp: Stamp) => Decision
  }
  readonly reports?: {
    readonly [Type in ReportType]?: (state: SessionState, report: ReportOf<Type>, stamp: Stamp) => Decision
  }
  readonly evolve?: { readonly [Type in EventType]?: Fold<Type, State> }
  /** How its events move tool calls. */
  readonly calls?: {
    readonly [Type in EventType]?: (state: SessionState, event: EventOf<Type>) => CallChange | undefined
  }
  /** Events that count as progress of the turn for a host that adopts it. */
  readonly progress?: readonly EventType[]
  readonly effects?: (state: SessionState) => readonly Effect[]
  /** Default: `drive`. */
  readonly access?: { readonly [Type in CommandType]?: AccessRule<Type> }

  // Hooks that the kernel calls, in the order of the table.

  /** No effects run while this is true. */
  readonly isSuspended?: (state: SessionState) => boolean
  /** Refuses a prompt, or adds events in front of its admission. */
  readonly beforePrompt?: (state: SessionState, command: CommandOf<"prompt">, stamp: Stamp) => Decision | undefined
  /** Fields of the event that starts the next turn. */
  readonly turnFields?: (state: SessionState) => Partial<EventOf<"turn.started">>
  /** True while no turn may start: prompts wait. */
  readonly holdsPrompts?: (state: SessionState) => boolean
  /** True while a turn that has its answer must neither end nor continue. */
  readonly holdsTurn?: (state: SessionState, stamp: Stamp) => boolean
  /** Effects that the open turn needs instead of its next step; the first feature that answers decides. */
  readonly turnEffects?: (state: SessionState) => readonly Effect[] | undefined
  readonly completeAnswer?: (
    state: SessionState,
    parts: readonly AnswerPart[],
    stamp: Stamp,
  ) => readonly AnswerPart[] | undefined
  /** Decides about a call that is ready, instead of starting it. */
  readonly beforeStart?: (state: SessionState, call: CallState, report: CallReady, stamp: Stamp) => Decision | undefined
  /** Events that follow from the result of a call. */
  readonly afterCall?: (state: SessionState, report: CallSettled) => readonly SessionEvent[]
  /** Whether a call waits for another agent, whose own host continues it. */
  readonly waitsForAgent?: (state: SessionState, call: CallState) => boolean
  /** Events that end what is open when a turn is interrupted. */
  readonly interrupt?: (state: SessionState) => readonly SessionEvent[]
  /** Events that end what a dead host, or one that closed the session, has left open. */
  readonly recover?: (state: SessionState) => readonly SessionEvent[]
  /** Events in front of the end of the session. */
  readonly beforeEnd?: (state: SessionState, stamp: Stamp) => readonly SessionEvent[]
  /** Replaces the decision about a command. */
  readonly afterDecision?: (
    state: SessionState,
    command: SessionCommand,
    decision: Decision,
    stamp: Stamp,
  ) => Decision | undefined
  /** The current activity of the session in a few words. */
  readonly activity?: (state: SessionState) => string | undefined
}
