// Exports of the offline models, loaded by the registry on demand.
export { offlineChoice, offlineModel, type OfflineOptions } from "./offline-model.ts"
export type { Call, Expectation, Failure, Part, Passage, ScriptedUsage } from "./part.ts"
export { scriptedModel, type ScriptedModel } from "./script/script-reply.ts"
export type { Price, Script, Step } from "./part.ts"
