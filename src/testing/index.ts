// Fakes for tests of agents: a scripted model, and control of time, ids and waiting. Everything else in a test is real.
export {
  scriptedModel,
  type Call,
  type Expectation,
  type Failure,
  type Part,
  type Passage,
  type Price,
  type Script,
  type ScriptedModel,
  type ScriptedUsage,
  type Step,
} from "../models/offline/index.ts"
export { gate, type Gate } from "./gate.ts"
export { openMemoryLog } from "../log/sqlite/sqlite-log.ts"
export { answerOf, assistant, called, offer, result, user, type Answer } from "./prompts.ts"
export { scriptedSource, type ScriptedSource } from "./scripted-source.ts"
export { testClock, type TestClock } from "./test-clock.ts"
export { testIds, type TestIds } from "./test-ids.ts"
