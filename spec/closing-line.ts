// Ends the output of a test run with one plain line that people and scripts can read: `N passed, M failed`.
import type { Reporter, TestModule } from "vitest/node"

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], faults: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const passed = tests.filter((test) => test.result().state === "passed").length
    const failed = tests.filter((test) => test.result().state === "failed").length
    const broken = modules.filter((module) => module.state() === "failed" && module.errors().length > 0).length
    process.on("exit", () => console.log(`${passed} passed, ${failed + broken + faults.length} failed`))
  }
}
