// The kernel and all features together. A command, report or event that none of them handles does not compile.
import type { EventType } from "../contract/events.ts"
import type { CommandType, Feature, ReportType } from "./feature.ts"
import { features, type featureTable } from "./features.ts"
import { kernel } from "./kernel.ts"

export const parts: readonly Feature[] = [kernel, ...features]

type Part = typeof kernel | (typeof featureTable)[keyof typeof featureTable]
type Handled<Table extends string, OfPart = Part> = OfPart extends { readonly [Key in Table]: infer Handlers }
  ? keyof Handlers
  : never
type AllHandled<Missing extends never> = Missing

export type EveryCommand = AllHandled<Exclude<CommandType, Handled<"commands">>>
export type EveryReport = AllHandled<Exclude<ReportType, Handled<"reports">>>
export type EveryEvent = AllHandled<Exclude<EventType, Handled<"evolve">>>
