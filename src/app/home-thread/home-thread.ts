// Thread of a host that answers queries over all sessions. Each query comes with a port for its answer.
import { workerData, type MessagePort, parentPort } from "node:worker_threads"
import { messageOf } from "../../contract/faults.ts"
import { openLog } from "../host/open-log.ts"
import type { ThreadAnswer, ThreadData, ThreadQuery, ThreadRequest } from "./thread-client.ts"
import { HomeQueries } from "./home-queries.ts"

async function serve(port: MessagePort, place: ThreadData): Promise<void> {
  const queries = new HomeQueries(place.home, await openLog(place))
  port.on("message", ({ query, reply }: ThreadRequest) => {
    void answer(queries, query).then((answered) => reply.postMessage(answered, []))
  })
}

async function answer(queries: HomeQueries, query: ThreadQuery): Promise<ThreadAnswer> {
  try {
    const isSearch = query.type === "search-sessions"
    return { value: isSearch ? await queries.searchSessions(query) : await queries.usageHistory(query) }
  } catch (fault) {
    return { fault: messageOf(fault) }
  }
}

if (parentPort !== null) void serve(parentPort, workerData)
