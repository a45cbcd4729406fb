// The rules of the linter. Which folder may import which is in lint/layout.ts and lint/web-layout.ts.
import { defineConfig } from "oxlint"

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  jsPlugins: ["./lint/plugin.ts"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true },
  ignorePatterns: ["src/**/generated/**"],
  rules: {
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-unsafe-type-assertion": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/consistent-type-imports": "error",
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "typescript/consistent-return": "off", // the compiler knows better: an exhaustive switch returns
    "oxc/no-map-spread": "off", // folds copy on write
    "no-await-in-loop": "off", // order is often the point: commit, then show, then act
  },
  overrides: [
    {
      files: ["src/**/*.ts"],
      excludeFiles: ["**/*.test.ts", "**/fixtures/**", "**/fixtures.ts", "**/*-contract.ts"],
      rules: { "turnhouse/layout": "error", "turnhouse/plain-words": "error" },
    },
    {
      files: ["web/**/*.ts", "web/**/*.tsx"],
      excludeFiles: ["**/*.test.ts"],
      rules: {
        "turnhouse/web-layout": "error",
        "turnhouse/plain-words": "error",
        "import/no-unassigned-import": "off",
      },
    },
    {
      files: ["**/*.test.ts", "**/*-contract.ts"],
      rules: {
        "turnhouse/concurrent-poll": "error",
        "unicorn/consistent-function-scoping": "off",
        "import/no-named-as-default-member": "off", // fast-check is used as `fc`
        "vitest/expect-expect": ["error", { assertFunctionNames: ["expect", "test.expect.poll", "fc.assert"] }],
      },
    },
  ],
})
