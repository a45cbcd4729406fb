// The door to the offline models; the registry loads it when one is wanted.
export { offlineChoice, offlineModel, type OfflineOptions } from "./offline-model.ts"
export type { Call, Expectation, Failure, GivenUsage, Part, Passage } from "./part.ts"
export { scriptedModel, type ScriptedModel } from "./script/scripted-model.ts"
export type { Price, Script, Step } from "./script/script.ts"
