// What a person can do something about, said in a line: a name that leads nowhere, an index that cannot be used, a model
// that is not there. Everything else stays a fault.
import { IndexFault } from "../../knowledge/index/schema.ts"
import { SourceFault } from "../../knowledge/ingest/find-sources.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { AppFault, usageFault } from "../../app/app-fault.ts"
import { exitCodes } from "../../app/exit-codes.ts"

export async function explained<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (fault) {
    if (fault instanceof SourceFault) throw usageFault(fault.message)
    if (fault instanceof IndexFault || fault instanceof ModelUnavailable)
      throw new AppFault(fault.message, exitCodes.failed)
    throw fault
  }
}
