import { configDefaults, defineConfig } from "vitest/config"

/** Hundreds of repetitions, for `npm run test:long`. */
const long = "**/*.long.test.ts"
const runsLong = process.env["TEST_LENGTH"] === "long"

export default defineConfig({
  test: {
    include: runsLong ? [long] : ["src/**/*.test.ts", "spec/**/*.test.ts"],
    exclude: runsLong ? configDefaults.exclude : [...configDefaults.exclude, long],
    globalSetup: "./spec/generate-checkers.ts",
    isolate: false,
    maxWorkers: 2, // most of the time is spent waiting for processes
    // For a machine with a load of 30; on a quiet one the slowest test takes a few seconds.
    testTimeout: runsLong ? 900_000 : 240_000,
    hookTimeout: 240_000,
    reporters: ["default", "./spec/closing-line.ts"],
  },
})
