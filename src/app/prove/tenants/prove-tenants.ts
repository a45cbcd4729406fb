// `turnhouse prove tenants`: two organisations on one real server, and random requests with every id that either of them has
// seen, through the WebSocket API, the native API and the admin API.
import { randomBytes } from "node:crypto"
import { messageOf } from "../../app-fault.ts"
import { Counts } from "../counts.ts"
import { proofHome, reportIn } from "../proof-home.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { seeded } from "../seeded.ts"
import { proofLimits, repeatingModel, startServer, type ProofServer } from "../served/proof-server.ts"
import type { Report } from "../violation.ts"
import { closeOrganisation, openOrganisation, wordOf, type Organisation } from "./organisation.ts"
import { randomRequest, type Sides, type TenantRequest, type Whose } from "./requests.ts"

export interface TenantsResult extends ProofResult {
  readonly requests: number
  readonly rows: readonly TenantRow[]
}

export interface TenantRow {
  readonly door: string
  readonly action: string
  readonly counts: Readonly<Partial<Record<Whose, number>>>
}

/** At the same time. */
const TOGETHER = 100

export function proveTenants({ count, seed, signal, onProgress }: ProofOptions): Promise<TenantsResult> {
  return runProof({ seed, signal }, async (folder) => {
    const counts = new Counts<Whose>()
    const workspace = proofHome(folder, "0")
    const report = reportIn(folder, workspace)
    const secret = randomBytes(32).toString("hex")
    const model = repeatingModel(workspace, "an answer")
    const auth = { mode: "jwt", secret }
    const server = await startServer(workspace, { model, server: { auth, limits: proofLimits } })
    try {
      await sendAll({ server, secret, folder, report, count, seed, counts, onProgress })
    } catch (fault) {
      if (!folder.signal.aborted) report("broken", "none", messageOf(fault))
    } finally {
      await server.close()
    }
    const rows = counts.rows.map(({ names: [door = "", action = ""], counts: cells }) => ({
      door,
      action,
      counts: cells,
    }))
    return { requests: counts.total, rows }
  })
}

interface Sending extends Pick<ProofOptions, "count" | "seed" | "onProgress"> {
  readonly server: ProofServer
  readonly secret: string
  readonly folder: ProofFolder
  readonly report: Report
  readonly counts: Counts<Whose>
}

async function sendAll({ server, secret, folder, report, count, seed, counts, onProgress }: Sending): Promise<void> {
  const below = seeded(seed)
  const { url } = server
  const open = (name: string, foreign: string) =>
    openOrganisation(name, {
      url,
      secret,
      onText: (text) => {
        if (text.includes(wordOf(foreign)))
          report("leaked", frameType(text), `${name} received words of ${foreign}: ${text}`)
      },
    })
  const [north, south] = [await open("north", "south"), await open("south", "north")]
  const sidesOf = (mine: Organisation, other: Organisation): Sides => {
    return { url, mine, other, refusals: { other: new Map(), none: new Map() } }
  }
  const sides = [sidesOf(north, south), sidesOf(south, north)] as const
  const sendOne = async (request: TenantRequest) => {
    const wrong = await request.send()
    counts.add([request.door, request.action], request.whose)
    onProgress(counts.total)
    if (wrong !== undefined && !folder.signal.aborted) report("leaked", request.action, wrong)
  }
  while (counts.total < count && !folder.signal.aborted) {
    const next = Array.from({ length: Math.min(TOGETHER, count - counts.total) }, () =>
      randomRequest(sides[below(2)] ?? sides[0], below),
    )
    await Promise.all(next.map(sendOne))
  }
  if (folder.signal.aborted) return
  for (const side of sides)
    for (const action of differences(side))
      report("leaked", action, "an object of the other is refused in another way than one that does not exist")
  closeOrganisation(north)
  closeOrganisation(south)
}

/** Of a frame of either API, whose first field is its type. */
function frameType(text: string): string {
  return /"type":"([^"]+)"/.exec(text)?.[1] ?? "a frame without a type"
}

/** Actions that refuse an object of the other organisation in a way in which they never refuse one that does not exist. */
function differences({ refusals }: Sides): readonly string[] {
  return [...refusals.other].flatMap(([action, codes]) => {
    const usual = refusals.none.get(action)
    return usual === undefined || [...codes].every((code) => usual.has(code)) ? [] : [action]
  })
}
