// `turnhouse prove cuts`: clients of a running host lose their connections after every kind of frame, and come back. Ends
// with the first broken promise.
import { AppFault, exitCodes, messageOf } from "../../app-fault.ts"
import { bothAtOnce, openClusterLane } from "../cluster/cluster-lane.ts"
import type { ProofServers } from "../cluster/proof-database.ts"
import { checkConversation, checkHome } from "../crash/check-conversation.ts"
import type { History } from "../crash/check-history.ts"
import { DoorMemory } from "../crash/doors/door-client.ts"
import { createLaneHome } from "../crash/lane-home.ts"
import { backgroundHost, server, type LaneHome, type LaneKind, type Started } from "../crash/lane-kind.ts"
import { Play } from "../crash/play.ts"
import { reportIn } from "../proof-home.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { seeded } from "../seeded.ts"
import type { Report } from "../violation.ts"
import { Conversation } from "./conversation.ts"
import { CutPlan } from "./cut-plan.ts"
import { CutTally } from "./cut-tally.ts"

export type CutsResult = ProofResult & Pick<CutTally, "cuts" | "conversations" | "rows">

/** What a compaction says again is not known to a client that was cut during it, so there is none. */
const kinds: readonly LaneKind[] = [{ ...backgroundHost, compacts: false }, server]
/** Conversations of each host at the same time. */
const AT_ONCE = 3

interface Shared extends ProofFolder {
  readonly seed: number
  readonly tally: CutTally
}

export function proveCuts({ count, seed, signal, servers, onProgress }: ProofOptions): Promise<CutsResult> {
  if (servers !== undefined && servers.bus === undefined)
    throw new AppFault(
      "prove cuts --store: clients come back at the other node, so the nodes need --bus.",
      exitCodes.usage,
    )
  return runProof({ seed, signal }, async (place) => {
    const tally = new CutTally(count, onProgress)
    const shared = { ...place, seed, tally }
    if (servers === undefined)
      await Promise.all(kinds.map((kind, number) => runHost(ownHost(kind, number, shared), number, shared)))
    else await runHost(await nodes(servers, shared, signal), 0, shared)
    const { cuts, conversations, rows } = tally
    return { cuts, conversations, rows }
  })
}

interface HostPlace {
  readonly kind: LaneKind
  readonly home: LaneHome
  readonly close: () => Promise<void>
}

function ownHost(kind: LaneKind, number: number, place: ProofFolder): HostPlace {
  const home = createLaneHome(place, String(number), kind)
  return { kind, home, close: () => home.workspace.close(true) }
}

/** Clients that were cut come back at the other node. The database is kept only with the homes. */
async function nodes(servers: ProofServers, place: ProofFolder, interrupted: AbortSignal): Promise<HostPlace> {
  const { kind, home, close } = await openClusterLane(place, "0", servers, bothAtOnce)
  return { kind, home, close: () => close(place.signal.aborted && !interrupted.aborted) }
}

/** One host, or the nodes of a cluster, with its conversations. Leaves no process behind; the folder stays. */
async function runHost(
  { kind, home, close }: HostPlace,
  number: number,
  { seed, tally, ...place }: Shared,
): Promise<void> {
  const report = reportIn(place, home.workspace)
  const { signal } = place
  const host = kind.start(home, new DoorMemory(kind.name, report, true), undefined)
  const reportExit = () => isOver || signal.aborted || report("broken", "none", "the host exited by itself")
  let isOver = false
  void host.process.exited.then(reportExit)
  const earlier: History[] = []
  const lanes = Array.from({ length: AT_ONCE }, (_, lane) => {
    const below = seeded((seed * kinds.length + number) * AT_ONCE + lane)
    return holdConversations({ kind, home, host, report, signal, tally, below, lane, earlier })
  })
  try {
    await Promise.all(lanes)
    if (!signal.aborted) checkHome({ home, report, earlier })
  } catch (fault) {
    report("broken", "none", messageOf(fault))
  } finally {
    isOver = true
    host.process.signal("SIGKILL")
    await host.process.exited
    await home.log.close()
    await close()
  }
}

interface Lane {
  readonly kind: LaneKind
  readonly home: LaneHome
  readonly host: Started
  readonly report: Report
  readonly signal: AbortSignal
  readonly tally: CutTally
  readonly below: (below: number) => number
  readonly lane: number
  readonly earlier: History[]
}

/** One after the other, until there were enough cuts; the last one is held to its end. */
async function holdConversations({ lane, below, earlier, ...options }: Lane): Promise<void> {
  const { kind, home, report, tally, signal } = options
  const plans = { native: new CutPlan(below), door: new CutPlan(below) }
  for (let number = lane; !tally.isComplete && !signal.aborted; number += AT_ONCE) {
    const conversation = new Conversation({ ...options, plans, play: new Play(kind, number, below) })
    await conversation.hold()
    tally.conversations += 1
    const { record } = conversation
    if (signal.aborted || record === undefined) return
    await record.compare(home.log)
    await checkConversation(record, { home, kind, report, earlier })
  }
}
