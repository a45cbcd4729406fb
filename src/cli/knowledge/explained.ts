// Turns errors that the user can fix into one line: a wrong path, an unusable index, an unavailable model.
import { IndexFault } from "../../knowledge/index/schema.ts"
import { SourceFault } from "../../knowledge/ingest/find-sources.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { AppFault, usageFault } from "../../app/app-fault.ts"

export async function withReadableFaults<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (fault) {
    if (fault instanceof SourceFault) throw usageFault(fault.message)
    if (fault instanceof IndexFault || fault instanceof ModelUnavailable) throw new AppFault(fault.message)
    throw fault
  }
}
