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
const buildAndTest: readonly LockType[] = ["build_test"]
const NO_LOCKS: readonly LockType[] = []

export function buildNeed(name: string, args: readonly string[], folder: string): BuildNeed | undefined {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  if (rule === undefined || isInfoRequest(args)) return undefined
  const kinds = rule(args)
  return kinds.length === 0 ? undefined : { kinds, folder: resolve(folder, namedFolder(name, args) ?? ".") }
}

/** By the first argument that is not an option. */
function bySubcommand(
  locksBySubcommand: Readonly<Record<string, readonly LockType[]>>,
  valued: readonly string[] = [],
): Rule {
  return (args) => {
    const subcommand = positionalArgs(args, valued)[0] ?? ""
    return Object.hasOwn(locksBySubcommand, subcommand) ? (locksBySubcommand[subcommand] ?? NO_LOCKS) : NO_LOCKS
  }
}

/** By all arguments that are not options: goals of a build. */
function byGoals(builds: RegExp, tests: RegExp, withoutGoals: readonly LockType[]): Rule {
  return (args) => {
    const found = positionalArgs(args)
    if (found.length === 0) return withoutGoals
    const [isBuild, isTest] = [found.some((goal) => builds.test(goal)), found.some((goal) => tests.test(goal))]
    if (isBuild && isTest) return buildAndTest
    return isTest ? test : isBuild ? build : NO_LOCKS
  }
}

const constantRule =
  (kinds: readonly LockType[]): Rule =>
  () =>
    kinds

const make = byGoals(/^(?!.*(?:test|check)).+/, /test|check/, build)
const gradle = byGoals(/build|assemble|compile|jar|install|publish|bundle/i, /build|test|check|verify/i, NO_LOCKS)
const maven = byGoals(/compile|package|verify|install|deploy/, /test|package|verify|install|deploy/, NO_LOCKS)
const goals = byGoals(/build|compile|package|assembly|release/, /test|spec|check/, NO_LOCKS)

/** Options that name one package of several. */
const packageOptions = ["-w", "--workspace", "--filter", "-F"]

/** Scripts of a package are classified by name. */
const packageScripts: Rule = (args) => {
  const [subcommand = "", name = ""] = positionalArgs(args[0] === "workspace" ? args.slice(2) : args, packageOptions)
  const script = subcommand === "run" || subcommand === "run-script" ? name : subcommand
  if (/^(?:t|tst|test|e2e|spec|check)(?:$|[:.-])|[:.-](?:test|e2e|spec)s?(?:$|[:.-])/.test(script)) return test
  if (/^(?:build|compile|bundle|dist|prepare|tsc|typecheck)(?:$|[:.-])|[:.-]build(?:$|[:.-])/.test(script)) return build
  return ["install", "i", "ci", "add", "remove", "rebuild", "update", "up", "link"].includes(subcommand)
    ? build
    : NO_LOCKS
}

const cargo = bySubcommand(
  {
    ...sameValue("build b check c clippy doc install run r rustc fix clean publish", build),
    ...sameValue("test t nextest bench miri", test),
  },
  ["--manifest-path", "--config", "-Z"],
)

const deno = bySubcommand({ compile: build, check: build, test })

const rules: Readonly<Record<string, Rule>> = {
  ...sameValue("make gmake", make),
  ...sameValue("just task rake turbo nx sbt ant bazel buck2 xcodebuild", goals),
  ...sameValue("cargo cross", cargo),
  ...sameValue("npm pnpm bun", packageScripts),
  ...sameValue("gradle gradlew", gradle),
  ...sameValue("mvn mvnw", maven),
  ...sameValue("tsc webpack rollup esbuild tsup ninja samu msbuild", constantRule(build)),
  ...sameValue("jest vitest mocha ava karma ctest pytest py.test tox nox unittest rspec phpunit", constantRule(test)),
  ...sameValue("vite next nuxt docker", bySubcommand({ build })),
  astro: bySubcommand({ build, check: build }),
  build: constantRule(build), // python -m build
  cmake: (args) => (args.includes("--build") || args.includes("--install") ? build : NO_LOCKS),
  cypress: bySubcommand({ run: test }),
  deno: (args) => (positionalArgs(args)[0] === "task" ? packageScripts(["run", ...args.slice(1)]) : deno(args)),
  dotnet: bySubcommand({ build, publish: build, pack: build, restore: build, test }),
  go: bySubcommand({ build, install: build, generate: build, vet: build, run: build, test }),
  meson: bySubcommand({ compile: build, install: build, test }),
  mix: bySubcommand({ compile: build, release: build, test }),
  node: (args) => (args.includes("--test") ? test : NO_LOCKS),
  playwright: bySubcommand({ test }),
  swift: bySubcommand({ build, run: build, test }),
  yarn: (args) => (positionalArgs(args).length === 0 ? build : packageScripts(args)),
  zig: bySubcommand({ build, "build-exe": build, test }),
}

function sameValue<Value>(list: string, value: Value): Record<string, Value> {
  return Object.fromEntries(list.split(" ").map((key) => [key, value]))
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
function positionalArgs(args: readonly string[], valued: readonly string[] = []): readonly string[] {
  const optionsWithValue = new Set(["-C", "--prefix", "--dir", "--cwd", "--directory", "-p", ...valued])
  const isValue = (at: number) => optionsWithValue.has(args[at - 1] ?? "")
  return args.filter((arg, at) => !arg.startsWith("-") && !arg.startsWith("+") && !arg.includes("=") && !isValue(at))
}

/** `-V` is not included: for ctest and maven it means verbose. */
function isInfoRequest(args: readonly string[]): boolean {
  return args.some((arg) => arg === "--version" || arg === "--help" || arg === "-h")
}
