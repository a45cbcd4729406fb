// Opens what is stored about share links and sign-ins: in the home, or with the store `postgres` for all nodes.
import type { Config } from "../../contract/config.ts"
import type { AccessStores } from "../../identity/access-stores.ts"
import { StoreFault } from "../../identity/store-fault.ts"
import { AppFault, exitCodes, messageOf } from "../app-fault.ts"
import { printNotice } from "../terminal.ts"

interface AccessPlace {
  readonly home: string
  readonly config: Config
}

export async function openAccessStores({ home, config: { store } }: AccessPlace): Promise<AccessStores> {
  return store?.type === "postgres" ? openShared(store.url) : openInHome(home)
}

/** For commands. A store that cannot be used is an `AppFault`. */
export async function withAccessStores<Value>(
  place: AccessPlace,
  use: (stores: AccessStores) => Promise<Value>,
): Promise<Value> {
  const stores = await openAccessStores(place)
  try {
    return await use(stores)
  } catch (fault) {
    if (!(fault instanceof StoreFault)) throw fault
    throw new AppFault(`links and sign-ins: ${messageOf(fault.cause)}`, exitCodes.unreachable)
  } finally {
    await stores.close()
  }
}

async function openInHome(home: string): Promise<AccessStores> {
  const [{ FileLinkStore }, { FileSignInCodes }] = await Promise.all([
    import("../../identity/links/file-link-store.ts"),
    import("../../identity/sign-in/file-sign-in-codes.ts"),
  ])
  return { links: new FileLinkStore(home), signIns: new FileSignInCodes(home), close: async () => {} }
}

/** Short: a client waits for its key to be checked. */
const TIMEOUT_MS = 5000

async function openShared(url: string): Promise<AccessStores> {
  const [{ Database }, { PostgresLinkStore }, { PostgresSignInCodes }] = await Promise.all([
    import("../../postgres/database.ts"),
    import("../../identity/links/postgres-link-store.ts"),
    import("../../identity/sign-in/postgres-sign-in-codes.ts"),
  ])
  const database = new Database({ url, connections: 2, timeoutMs: TIMEOUT_MS })
  const links = new PostgresLinkStore({ database, onFault: printRevocationsUnknown })
  const close = async () => {
    await links.close()
    await database.close()
  }
  return { links, signIns: new PostgresSignInCodes(database), close }
}

function printRevocationsUnknown(fault: unknown): void {
  const effect = "Holders of share links and signed-in browsers are disconnected if this lasts for 10 s."
  printNotice(`turnhouse: revocations of share links cannot be read: ${messageOf(fault)} ${effect}`)
}
