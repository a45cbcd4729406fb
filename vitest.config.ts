import { configDefaults, defineConfig } from "vitest/config"

/** Hundreds of repetitions, for `npm run test:long`. */
const long = "**/*.long.test.ts"
const runsLong = process.env["TEST_LENGTH"] === "long"

export default defineConfig({
  test: {
    include: runsLong ? [long] : ["src/**/*.test.ts", "web/**/*.test.ts", "spec/**/*.test.ts"],
    exclude: runsLong ? configDefaults.exclude : [...configDefaults.exclude, long],
    globalSetup: "./spec/generate-checkers.ts",
    isolate: false,
    maxWorkers: 2, // most of the time is spent waiting for processes
    // For a machine with a load of 30; on a quiet one the slowest test takes a few seconds.
    testTimeout: runsLong ? 900_000 : 240_000,
    hookTimeout: 240_000,
    retry: 1, // a busy machine; what passes only then is listed at the end, and more than a few fail the run
    expect: { poll: { timeout: 60_000 } }, // a condition that sends no event; the default of 1 s fails under load
    reporters: ["default", "./spec/closing-line.ts"],
  },
})
