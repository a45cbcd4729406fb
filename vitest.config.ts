import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "spec/**/*.test.ts"],
    isolate: false,
    maxWorkers: 2, // most of the time is spent waiting for processes
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", "./spec/closing-line.ts"],
  },
})
