// Ends the output of a test run: the tests that passed only when they were repeated, with what they failed of first, and one plain
// line that people and scripts can read: `N passed, M failed`.
import type { Reporter, TestCase, TestModule } from "vitest/node"

/** One or two on a busy machine are an accident; more of them have a cause, and the run fails. */
const MAX_REPEATED = 4

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], faults: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const passed = tests.filter((test) => test.result().state === "passed")
    const failed = tests.filter((test) => test.result().state === "failed").length
    const broken = modules.filter((module) => module.state() === "failed" && module.errors().length > 0).length
    const repeated = passed.filter((test) => test.diagnostic()?.flaky)
    const tooMany = repeated.length > MAX_REPEATED ? repeated.length : 0
    process.on("exit", () => {
      for (const test of repeated) console.log(`passed only when repeated: ${described(test)}`)
      if (tooMany > 0) process.exitCode = 1
      console.log(`${passed.length - tooMany} passed, ${failed + broken + faults.length + tooMany} failed`)
    })
  }
}

function described(test: TestCase): string {
  const [error] = test.result().errors ?? []
  return `${test.module.moduleId} > ${test.fullName}: ${error?.message ?? "no message"}`
}
