// A database of its own for each lane of a proof that runs on PostgreSQL.
import { randomBytes } from "node:crypto"
import { DatabaseFault } from "../../../postgres/database-fault.ts"
import { Database } from "../../../postgres/database.ts"
import { AppFault } from "../../app-fault.ts"

export interface ProofServers {
  /** Address of a database of the server, of a user that may create others. */
  readonly store: string
  readonly bus?: string | undefined
}

export interface ProofDatabase {
  readonly url: string
  /** With everything in it; connections to it end. */
  drop(): Promise<void>
}

const NAME_BYTES = 6

export async function createProofDatabase({ store }: ProofServers): Promise<ProofDatabase> {
  const url = addressOf(store)
  const name = `turnhouse_prove_${randomBytes(NAME_BYTES).toString("hex")}`
  url.pathname = name
  await administer(store, `create database ${name}`)
  return { url: url.href, drop: () => administer(store, `drop database if exists ${name} with (force)`) }
}

/** For messages. */
export function databaseName({ url }: ProofDatabase): string {
  return new URL(url).pathname.slice(1)
}

function addressOf(store: string): URL {
  if (/^postgres(?:ql)?:\/\//.test(store) && URL.canParse(store)) return new URL(store)
  throw new AppFault("--store: not an address of PostgreSQL. Use postgres://USER:PASSWORD@HOST:PORT/DATABASE.", 2)
}

async function administer(store: string, statement: string): Promise<void> {
  const database = new Database({ url: store, connections: 1 })
  try {
    await database.execute(statement)
  } catch (fault) {
    if (!(fault instanceof DatabaseFault)) throw fault
    const what = `--store: ${fault.message} A lane of the proof needs a database of its own: use a user with CREATEDB.`
    throw new AppFault(what)
  } finally {
    await database.close()
  }
}
