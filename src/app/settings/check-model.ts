// Refuses a session whose model no configured provider serves, before anything is started for it.
import { UnknownProvider } from "../../models/model-source.ts"
import { usageFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"

/** `name`: the model that was named for the session. */
export async function checkModel(name: string | undefined, { config }: AppContext): Promise<void> {
  const model = name ?? config.model
  if (model === undefined) return // the default is always usable
  const { createModelSource } = await import("../../models/registry.ts")
  try {
    await createModelSource({ config, env: process.env }).checkProvider(model)
  } catch (fault) {
    throw fault instanceof UnknownProvider ? usageFault(fault.message) : fault
  }
}
