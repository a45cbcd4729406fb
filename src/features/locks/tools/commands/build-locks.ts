// Which programs build and which test, by their names and first arguments. An unnecessary lock costs a short wait; a
// missing one costs a build that saw half of a change. Pure.
import { resolve } from "node:path"
import type { LockType } from "../../../../contract/values.ts"

export interface BuildNeed {
  readonly folder: string
  readonly kinds: readonly LockType[]
}

type Rule = (args: readonly string[]) => readonly LockType[]

const build: readonly LockType[] = ["build"]
const test: readonly LockType[] = ["test"]
const both: readonly LockType[] = ["build_test"]
const none: readonly LockType[] = []

export function buildNeed(name: string, args: readonly string[], folder: string): BuildNeed | undefined {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  if (rule === undefined || asksOnly(args)) return undefined
  const kinds = rule(args)
  return kinds.length === 0 ? undefined : { kinds, folder: resolve(folder, namedFolder(name, args) ?? ".") }
}

/** By the first argument that is not an option. */
function byWord(known: Readonly<Record<string, readonly LockType[]>>, valued: readonly string[] = []): Rule {
  return (args) => {
    const word = plainWords(args, valued)[0] ?? ""
    return Object.hasOwn(known, word) ? (known[word] ?? none) : none
  }
}

/** By all arguments that are not options: goals of a build. */
function byGoals(builds: RegExp, tests: RegExp, alone: readonly LockType[]): Rule {
  return (args) => {
    const found = plainWords(args)
    if (found.length === 0) return alone
    const [isBuild, isTest] = [found.some((word) => builds.test(word)), found.some((word) => tests.test(word))]
    if (isBuild && isTest) return both
    return isTest ? test : isBuild ? build : none
  }
}

const always =
  (kinds: readonly LockType[]): Rule =>
  () =>
    kinds

const make = byGoals(/^(?!.*(?:test|check)).+/, /test|check/, build)
const gradle = byGoals(/build|assemble|compile|jar|install|publish|bundle/i, /build|test|check|verify/i, none)
const maven = byGoals(/compile|package|verify|install|deploy/, /test|package|verify|install|deploy/, none)
const goals = byGoals(/build|compile|package|assembly|release/, /test|spec|check/, none)

/** Options that name one package of several. */
const packageOptions = ["-w", "--workspace", "--filter", "-F"]

/** Scripts of a package are classified by name. */
const packageScripts: Rule = (args) => {
  const [word = "", name = ""] = plainWords(args[0] === "workspace" ? args.slice(2) : args, packageOptions)
  const script = word === "run" || word === "run-script" ? name : word
  if (/^(?:t|tst|test|e2e|spec|check)(?:$|[:.-])|[:.-](?:test|e2e|spec)s?(?:$|[:.-])/.test(script)) return test
  if (/^(?:build|compile|bundle|dist|prepare|tsc|typecheck)(?:$|[:.-])|[:.-]build(?:$|[:.-])/.test(script)) return build
  return ["install", "i", "ci", "add", "remove", "rebuild", "update", "up", "link"].includes(word) ? build : none
}

const cargo = byWord(
  {
    ...words("build b check c clippy doc install run r rustc fix clean publish", build),
    ...words("test t nextest bench miri", test),
  },
  ["--manifest-path", "--config", "-Z"],
)

const deno = byWord({ compile: build, check: build, test })

const rules: Readonly<Record<string, Rule>> = {
  ...words("make gmake", make),
  ...words("just task rake turbo nx sbt ant bazel buck2 xcodebuild", goals),
  ...words("cargo cross", cargo),
  ...words("npm pnpm bun", packageScripts),
  ...words("gradle gradlew", gradle),
  ...words("mvn mvnw", maven),
  ...words("tsc webpack rollup esbuild tsup ninja samu msbuild", always(build)),
  ...words("jest vitest mocha ava karma ctest pytest py.test tox nox unittest rspec phpunit", always(test)),
  ...words("vite next nuxt docker", byWord({ build })),
  astro: byWord({ build, check: build }),
  build: always(build), // python -m build
  cmake: (args) => (args.includes("--build") || args.includes("--install") ? build : none),
  cypress: byWord({ run: test }),
  deno: (args) => (plainWords(args)[0] === "task" ? packageScripts(["run", ...args.slice(1)]) : deno(args)),
  dotnet: byWord({ build, publish: build, pack: build, restore: build, test }),
  go: byWord({ build, install: build, generate: build, vet: build, run: build, test }),
  meson: byWord({ compile: build, install: build, test }),
  mix: byWord({ compile: build, release: build, test }),
  node: (args) => (args.includes("--test") ? test : none),
  playwright: byWord({ test }),
  swift: byWord({ build, run: build, test }),
  yarn: (args) => (plainWords(args).length === 0 ? build : packageScripts(args)),
  zig: byWord({ build, "build-exe": build, test }),
}

function words<Value>(list: string, value: Value): Record<string, Value> {
  return Object.fromEntries(list.split(" ").map((word) => [word, value]))
}

/** Options that set the folder in which a program works. */
const folderOptions: Readonly<Record<string, readonly string[]>> = {
  make: ["-C", "--directory"],
  gmake: ["-C", "--directory"],
  ninja: ["-C"],
  cmake: ["--build", "--install"],
  meson: ["-C"],
  go: ["-C"],
  npm: ["--prefix", "-C"],
  pnpm: ["-C", "--dir"],
  yarn: ["--cwd"],
  bun: ["--cwd"],
  gradle: ["-p", "--project-dir"],
  gradlew: ["-p", "--project-dir"],
  cargo: ["-C"],
}

function namedFolder(name: string, args: readonly string[]): string | undefined {
  const options = Object.hasOwn(folderOptions, name) ? (folderOptions[name] ?? []) : []
  const at = args.findIndex((arg) => options.includes(arg))
  if (at !== -1) return args[at + 1]
  const joined = args.find((arg) => options.some((option) => arg.startsWith(`${option}=`)))
  return joined?.slice(joined.indexOf("=") + 1)
}

/** Arguments that are neither options nor values of options that name a folder, or of `valued`. */
function plainWords(args: readonly string[], valued: readonly string[] = []): readonly string[] {
  const named = new Set(["-C", "--prefix", "--dir", "--cwd", "--directory", "-p", ...valued])
  const isValue = (at: number) => named.has(args[at - 1] ?? "")
  return args.filter((arg, at) => !arg.startsWith("-") && !arg.startsWith("+") && !arg.includes("=") && !isValue(at))
}

/** `-V` is not included: for ctest and maven it means verbose. */
function asksOnly(args: readonly string[]): boolean {
  return args.some((arg) => arg === "--version" || arg === "--help" || arg === "-h")
}
