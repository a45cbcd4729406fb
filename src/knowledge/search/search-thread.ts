// Worker thread that searches, one query at a time, so that sessions never wait for it.
import { parentPort, workerData, type MessagePort } from "node:worker_threads"
import { IndexFault } from "../index/schema.ts"
import type { SearchAnswer, SearchRequest, SearchThreadData } from "./search-client.ts"
import { SearchResources } from "./worker-resources.ts"

if (parentPort !== null) serve(parentPort, workerData)

function serve(port: MessagePort, data: SearchThreadData): void {
  const desk = new SearchResources(data)
  let tail = Promise.resolve()
  port.on("message", (request: SearchRequest) => {
    tail = tail.then(async () => port.postMessage(await answered(desk, request)))
  })
}

async function answered(desk: SearchResources, request: SearchRequest): Promise<SearchAnswer> {
  try {
    return { id: request.id, passages: await desk.search(request) }
  } catch (fault) {
    const isOfIndex = fault instanceof IndexFault
    return { id: request.id, fault: fault instanceof Error ? fault.message : String(fault), isOfIndex }
  }
}
