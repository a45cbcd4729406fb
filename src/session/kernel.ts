// The kernel's own part of a session: its life, prompts, turns, steps, calls and compaction. It has the form of a
// feature, so that all handlers and folds are found in the same way.
import type { EventType } from "../contract/events.ts"
import { adoptTurn } from "./adoption.ts"
import { callReady, callSettled, judged } from "./calls.ts"
import { accepted, refused, type Decision, type Stamp } from "./decision.ts"
import type { CommandType, Feature, ReportType } from "./feature.ts"
import { features, type featureTable } from "./features.ts"
import { kernelFolds } from "./kernel-folds.ts"
import { admitPrompt, withdrawPrompt } from "./prompts.ts"
import { recover } from "./recover.ts"
import { initialKernelState, isBusy, type KernelState, type SessionState } from "./state.ts"
import * as steps from "./steps.ts"
import { endSession, interrupt, cancelEnd } from "./stopping.ts"

export const kernel = {
  initial: initialKernelState,
  commands: {
    prompt: admitPrompt,
    withdraw: withdrawPrompt,
    interrupt,
    resume: (state, _, stamp) => steps.resumeTurn(state, stamp),
    "select-model": (_, { model }, { by }) => accepted({ type: "model.selected", model, by }),
    "select-tools": (_, { mode }, { by }) => accepted({ type: "tools.selected", mode, by }),
    compact: steps.startCompaction,
    "clear-context": (state, _, stamp) => clearContext(state, stamp),
    alias: (_, { alias }, { by }) => accepted({ type: "session.aliased", alias, by }),
    rename: (_, { name }, { by }) => accepted({ type: "session.renamed", name, by }),
    end: endSession,
    stay: (state, _, stamp) => cancelEnd(state, stamp),
  },
  reports: {
    recover: (state, { evidence }, stamp) =>
      accepted(...recover(state, evidence, stamp), ...features.flatMap((feature) => feature.recover?.(state) ?? [])),
    adopt: (state, report, stamp) => accepted(...adoptTurn(state, report, stamp)),
    retrieved: steps.retrieved,
    "context-full": steps.contextFull,
    "model-answered": steps.modelAnswered,
    "model-failed": steps.modelFailed,
    "answer-cut": steps.answerCut,
    "model-overloaded": steps.replaceModel,
    "turn-blocked": steps.parkTurn,
    "park-elapsed": steps.parkElapsed,
    judged,
    "call-ready": callReady,
    "call-settled": callSettled,
    compacted: steps.compacted,
    "compaction-failed": steps.compactionFailed,
  },
  evolve: kernelFolds,
} satisfies Feature<KernelState>

function clearContext(state: SessionState, { by }: Stamp): Decision {
  return isBusy(state) ? refused({ code: "session.busy" }) : accepted({ type: "context.cleared", by })
}

/** The kernel and all features. A command, report or event that none of them handles does not compile. */
export const parts: readonly Feature[] = [kernel, ...features]

type Part = typeof kernel | (typeof featureTable)[keyof typeof featureTable]
type Handled<Table extends string, OfPart = Part> = OfPart extends { readonly [Key in Table]: infer Handlers }
  ? keyof Handlers
  : never
type AllHandled<Missing extends never> = Missing

export type EveryCommand = AllHandled<Exclude<CommandType, Handled<"commands">>>
export type EveryReport = AllHandled<Exclude<ReportType, Handled<"reports">>>
export type EveryEvent = AllHandled<Exclude<EventType, Handled<"evolve">>>
