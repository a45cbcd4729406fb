import { eventLogContract, type LogConditions } from "../event-log-contract.ts"
import { directoryContract } from "../directory-contract.ts"
import { openMemoryLog } from "./sqlite-log.ts"

eventLogContract("memory", openFresh)
directoryContract("memory", openFresh)

function openFresh(conditions: LogConditions) {
  const log = openMemoryLog(conditions)
  return { log, openAnother: () => log, remove: () => log.close() }
}
