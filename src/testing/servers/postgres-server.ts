// A real PostgreSQL server for tests, with its data in a temporary folder. Uses the newest one that Debian has installed, and
// installs it if there is none.
import { execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { needPackage } from "../../../spec/need-package.ts"
import { freePort, ServerProcess } from "./server-process.ts"

export interface PostgresServer {
  readonly port: number
  readonly process: ServerProcess
  /** The folder of its programs, such as `psql` and `pgbench`. */
  readonly programs: string
  /** The address of a new, empty database. */
  createDatabase(): string
  /** The answer of `psql`, unaligned; as the superuser, in the database of the system. */
  query(statement: string): string
  /** Starts it again after `process.stop`. */
  start(): Promise<void>
  /** Stops it and deletes its data. */
  remove(): Promise<void>
}

export interface PostgresServerOptions {
  /** Further settings, as `name=value`. */
  readonly settings?: readonly string[]
  /** With `fsync` on; otherwise only a crash of the machine would lose data. */
  readonly isDurable?: boolean
  /** Where the folder of its data is made. */
  readonly folder?: string
}

const root = "/usr/lib/postgresql"

export async function startPostgres({
  settings = [],
  isDurable = false,
  folder: parent = tmpdir(),
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const programs = findPrograms()
  const owner = unprivileged()
  const folder = mkdtempSync(join(parent, "turnhouse-postgres-"))
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, "data")
  const asOwner = { ...owner, cwd: "/", stdio: "pipe" } as const
  const init = ["-D", data, "-U", "turnhouse", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
  execFileSync(join(programs, "initdb"), init, asOwner)
  const port = await freePort()
  const chosen = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    `fsync=${isDurable ? "on" : "off"}`,
    "max_connections=200",
    ...settings,
  ]
  const options = ["-D", data, ...chosen.flatMap((setting) => ["-c", setting])]
  const process = new ServerProcess({
    program: join(programs, "postgres"),
    args: options,
    ready: /database system is ready to accept connections/,
    ...owner,
  })
  await process.start()
  let databases = 0
  return {
    port,
    process,
    programs,
    createDatabase: () => {
      const name = `test_${(databases += 1)}`
      execFileSync(join(programs, "createdb"), ["-h", folder, "-p", String(port), "-U", "turnhouse", name], asOwner)
      return `postgres://turnhouse@127.0.0.1:${port}/${name}`
    },
    query: (statement) => {
      const words = ["-h", folder, "-p", String(port), "-U", "turnhouse", "-AtX", "-c", statement, "postgres"]
      return execFileSync(join(programs, "psql"), words, { ...asOwner, encoding: "utf8" }).trim()
    },
    start: () => process.start(),
    remove: async () => {
      await process.stop("SIGQUIT")
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function findPrograms(): string {
  const found = installed()
  if (found !== undefined) return found
  needPackage("pg_createcluster", "postgresql")
  const programs = installed()
  if (programs === undefined) throw new Error(`postgresql was installed, and ${root} has no server.`)
  return programs
}

function installed(): string | undefined {
  if (!existsSync(root)) return undefined
  const versions = readdirSync(root).toSorted((one, other) => Number(other) - Number(one))
  return versions.map((version) => join(root, version, "bin")).find((folder) => existsSync(join(folder, "postgres")))
}

/** PostgreSQL does not run as root: then it runs as the user of Debian's package. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  return { uid: idOfPostgres("-u"), gid: idOfPostgres("-g") }
}

function idOfPostgres(option: "-u" | "-g"): number {
  return Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }))
}
