// The layout is the architecture: a folder of src/ may import itself and what stands behind it in this table,
// and nothing else of ours. A folder that is not a key here may not be imported by any other but app, server and cli.
import { defineConfig, type OxlintOverride } from "oxlint"

const mayImport: Record<string, readonly string[]> = {
  contract: [],
  session: ["contract"],
  projection: ["contract"],
  transports: [],
  log: ["contract"],
  "log-writer": ["contract", "log", "transports"],
  models: ["contract"],
  locks: ["contract"],
  knowledge: ["contract"],
  identity: ["contract"],
  config: ["contract"],
  secrets: ["contract"],
  protocols: ["contract", "projection"],
  "slash-commands": ["contract", "projection", "protocols"],
  processes: ["contract"],
  tools: ["contract", "locks", "knowledge", "processes"],
  hooks: ["contract", "locks", "knowledge", "processes", "protocols", "transports"],
  runner: [
    "contract",
    "session",
    "projection",
    "log",
    "models",
    "tools",
    "hooks",
    "locks",
    "knowledge",
    "processes",
    "secrets",
  ],
  host: [
    "contract",
    "session",
    "projection",
    "runner",
    "log",
    "protocols",
    "transports",
    "processes",
    "secrets",
    "config",
  ],
  doors: ["contract", "projection", "protocols", "slash-commands", "transports"],
  clients: ["contract", "protocols", "transports"],
  tui: ["contract", "projection"],
}
const folders = [...Object.keys(mayImport), "app", "server", "cli", "testing"]

function importsHeldIn(folder: string, allowed: readonly string[]): OxlintOverride {
  const forbidden = folders.filter((other) => other !== folder && !allowed.includes(other))
  const group = forbidden.flatMap((other) => [`../${other}/**`, `../../${other}/**`, `../../../${other}/**`])
  const message = `src/${folder} may import ${allowed.join(", ") || "nothing of ours"} (see oxlint.config.ts).`
  return {
    files: [`src/${folder}/**/*.ts`],
    excludeFiles: ["**/*.test.ts"],
    rules: { "no-restricted-imports": ["error", { patterns: [{ group, message }] }] },
  }
}

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
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
    "import/no-cycle": "error",
    "typescript/consistent-return": "off", // the compiler knows better: an exhaustive switch returns
    "oxc/no-map-spread": "off", // folds copy on write
    "no-await-in-loop": "off", // order is often the point: commit, then show, then act
  },
  overrides: [
    ...Object.entries(mayImport).map(([folder, allowed]) => importsHeldIn(folder, allowed)),
    {
      files: ["**/*.test.ts", "**/*-contract.ts"],
      rules: {
        "unicorn/consistent-function-scoping": "off",
        "import/no-named-as-default-member": "off", // fast-check is used as `fc`
        "vitest/expect-expect": ["error", { assertFunctionNames: ["expect", "fc.assert"] }],
      },
    },
  ],
})
