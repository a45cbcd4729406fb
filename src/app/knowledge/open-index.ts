// Opens the index of a home for a command that changes it, with what reading documents needs. With `store: postgres` the
// changes are written there when the command has made them.
import { clusterOf, type ClusterPlace } from "../cluster/cluster.ts"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { tryParseJson, memberIn, textIn } from "../../contract/json-object.ts"
import { Extractor } from "../../knowledge/extract/extractor.ts"
import { isBeingWritten } from "../../knowledge/index/schema.ts"
import { IndexWriter } from "../../knowledge/index/writer.ts"
import type { RunTools } from "../../knowledge/sources/run-source.ts"
import type { ProcessMark } from "../../knowledge/sources/runs.ts"
import { isAlive, startTimeOf, thisBoot } from "../../log/process-identity.ts"
import type { AppContext } from "../context.ts"
import { openRedactor } from "../secrets/home-secrets.ts"
import { indexPath } from "../settings/knowledge.ts"
import { withReadableFaults } from "./documents.ts"
import type { SharedDocuments } from "./shared-documents.ts"

export interface IndexWork {
  /** Called often, with one line. */
  readonly onProgress: (line: string) => void
  /** Ends the work between two documents. */
  readonly signal: AbortSignal
}

export function withIndex<Value>(
  { home, config }: Pick<AppContext, "home" | "config">,
  asked: IndexWork,
  work: (tools: RunTools, shared: SharedDocuments | undefined) => Promise<Value>,
): Promise<Value> {
  return withReadableFaults(async () => {
    const shared = await openShared({ home, config }) // before documents are read, which may take long
    try {
      if (shared !== undefined) {
        await waitForOtherWriter(indexPath(home), asked)
        await shared.applyRemovals()
      }
      const value = await withWriter({ home, config }, asked, (tools) => work(tools, shared))
      await shared?.publish(asked)
      return value
    } finally {
      await shared?.close()
    }
  })
}

/** Undefined where documents are in the home only. */
export async function openShared(place: ClusterPlace): Promise<SharedDocuments | undefined> {
  const cluster = clusterOf(place)
  if (cluster === undefined) return undefined
  const { SharedDocuments: Shared } = await import("./shared-documents.ts")
  return Shared.open(cluster, place.home, place.config)
}

async function withWriter<Value>(
  { home, config }: Pick<AppContext, "home" | "config">,
  { onProgress, signal }: IndexWork,
  work: (tools: RunTools) => Promise<Value>,
): Promise<Value> {
  const redactor = openRedactor(home, config)
  await waitForOtherWriter(indexPath(home), { onProgress, signal })
  const extractor = new Extractor()
  const stop = () => void extractor.close()
  signal.addEventListener("abort", stop)
  const writer = new IndexWriter(indexPath(home))
  const cache = join(home, "cache", "knowledge-git")
  try {
    return await work({ writer, extractor, redactor, cache, signal, onProgress, process: processMark(), now: Date.now })
  } finally {
    signal.removeEventListener("abort", stop)
    writer.close()
    await extractor.close()
  }
}

/** Between two attempts to write. */
const RETRY_MS = 200

/**
 * A process that reads a long document keeps the index locked meanwhile. This wait can be interrupted, those of SQLite
 * cannot. Throws the reason of the signal.
 */
async function waitForOtherWriter(path: string, { onProgress, signal }: IndexWork): Promise<void> {
  while (isBeingWritten(path)) {
    onProgress("waiting for another process, which is writing to the index")
    await sleep(RETRY_MS)
    signal.throwIfAborted()
  }
}

/** A process of another machine or container, which cannot be looked up, counts as ended after this time. */
const SILENT_MS = 15 * 60_000

export function processMark(): ProcessMark {
  const { pid } = process
  const own = JSON.stringify({ pid, startTime: startTimeOf(pid) ?? "", bootId: thisBoot() })
  return { own, isAlive: isWorking }
}

function isWorking(mark: string, seenAt: number): boolean {
  const value = tryParseJson(mark)
  const [pid, startTime, bootId] = [memberIn(value, "pid"), textIn(value, "startTime"), textIn(value, "bootId")]
  if (typeof pid !== "number" || startTime === undefined || bootId === undefined) return false
  if (bootId === thisBoot()) return isAlive({ pid, startTime, bootId })
  return Date.now() - seenAt < SILENT_MS
}
