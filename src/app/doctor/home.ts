// Checks the home folder: it exists or can be created, is writable, and is closed to other users.
import { messageOf } from "../app-fault.ts"
import { clusterKeyProblem } from "../../secrets/check-cluster-keys.ts"
import { clusterSecretVariable } from "../../secrets/cluster-keys.ts"
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { type Check, type Finding, ok, problem, warning } from "./finding.ts"

const privateFiles = [
  "turnhouse.db",
  "turnhouse.db-wal",
  "turnhouse.db-shm",
  "turnhouse.db-heads",
  "turnhouse.db-release",
  "secret.key",
  "trust.json",
  "plugins.json",
  "config.json",
]

export function homeChecks(home: string, env: NodeJS.ProcessEnv): readonly Check[] {
  return [
    {
      subject: "home",
      look: async () => (existsSync(home) ? [usable(home), ...linked(home), ...openTo(home)] : [absent(home)]),
    },
    { subject: "cluster keys", look: async () => clusterKeys(home, env) },
  ]
}

function clusterKeys(home: string, env: NodeJS.ProcessEnv): readonly Finding[] {
  if (!env[clusterSecretVariable]) return []
  const what = clusterKeyProblem(home, env)
  const todo = "no command of this home works until then"
  return [
    what === undefined
      ? ok("cluster keys", `secret.key and console.key are those of ${clusterSecretVariable}`)
      : problem("cluster keys", what, todo),
  ]
}

/** The sandbox cannot protect a link: a tool that may write beside it can replace it with another folder. */
function linked(home: string): readonly Finding[] {
  const real = realpathSync(home)
  if (real === resolve(home)) return []
  return [warning("home", `${home} is reached through a symbolic link`, `set TURNHOUSE_HOME to ${real}`)]
}

/** Creates nothing: a check must not change what it checks. */
function absent(home: string): Finding {
  let parent = dirname(home)
  while (!existsSync(parent)) parent = dirname(parent)
  try {
    accessSync(parent, constants.W_OK | constants.X_OK)
    return ok("home", `${home} does not exist yet; it is created when needed`)
  } catch {
    return problem(
      "home",
      `${home} does not exist and cannot be created in ${parent}`,
      "set TURNHOUSE_HOME to another folder",
    )
  }
}

function usable(home: string): Finding {
  if (!statSync(home).isDirectory()) return problem("home", `${home} is not a folder`, "set TURNHOUSE_HOME to a folder")
  const trial = join(home, `.trial-${process.pid}`)
  try {
    const descriptor = openSync(trial, "wx", 0o600)
    try {
      writeSync(descriptor, "x".repeat(4096)) // a full disk or a quota fails only here
    } finally {
      closeSync(descriptor)
      rmSync(trial, { force: true })
    }
    return ok("home", `${home} is writable`)
  } catch (fault) {
    const reason = messageOf(fault)
    return problem(
      "home",
      `${home} is not writable: ${reason}`,
      "fix its permissions, or set TURNHOUSE_HOME to another folder",
    )
  }
}

function openTo(home: string): readonly Finding[] {
  const open = privateFiles.filter((name) => isOpen(join(home, name)))
  const folder = isOpen(home)
  if (!folder && open.length === 0) return [ok("modes", "the home folder is closed to other users")]
  const names = folder ? [home] : open.map((name) => join(home, name))
  const todo = folder ? `chmod 700 ${home}` : `chmod 600 ${names.join(" ")}`
  return [warning("modes", `open to other users: ${names.join(", ")}`, todo)]
}

function isOpen(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0
}
