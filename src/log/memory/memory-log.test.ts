import { eventLogContract } from "../event-log-contract.ts"
import { openMemoryLog } from "./memory-log.ts"

eventLogContract("memory", (conditions) => {
  const log = openMemoryLog(conditions)
  return { log, again: () => log, remove: () => log.close() }
})
