// Worker thread that searches, so that sessions never wait for it: in the local index, or in PostgreSQL.
import { parentPort, workerData, type MessagePort } from "node:worker_threads"
import type { SearchAnswer, SearchRequest, SearchThreadData } from "./search-client.ts"

interface Answers {
  answer(request: SearchRequest): SearchAnswer | Promise<SearchAnswer>
}

async function answersOf({ path, database, embedder }: SearchThreadData): Promise<Answers> {
  if (database === undefined) return new (await import("./local-search.ts")).LocalSearch({ path, embedder })
  return new (await import("../postgres/shared-search.ts")).SharedSearch(database, embedder)
}

function serve(port: MessagePort, data: SearchThreadData): void {
  const answers = answersOf(data)
  port.on("message", (request: SearchRequest) => {
    void answers.then((some) => some.answer(request)).then((answer) => port.postMessage(answer))
  })
}

if (parentPort !== null) serve(parentPort, workerData)
