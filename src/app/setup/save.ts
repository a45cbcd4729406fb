// Writes what setup has found out: the key for all sessions of the home, the model into the user's configuration.
import { join } from "node:path"
import { editConfigFile, type ConfigChange } from "../../config/edit-config-file.ts"
import { ConfigFault, describeError } from "../../config/faults.ts"
import { loginFile } from "../../models/logins/login-store.ts"
import { AppFault, usageFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { storeKey } from "../settings/logins.ts"
import { draftSettings, type SetupDraft } from "./draft.ts"

export interface SavedSetup {
  readonly configFile: string
  /** Undefined if no key was stored. */
  readonly keyFile: string | undefined
}

/** The key comes first: a model whose key could not be stored would not work. */
export async function saveSetup(
  { home }: AppContext,
  draft: SetupDraft | undefined,
  model: string,
): Promise<SavedSetup> {
  const configFile = join(home, "config.json")
  try {
    if (draft?.key !== undefined) await storeKey(home, draft.provider, draft.key)
    await editConfigFile(configFile, [{ path: ["model"], value: model }, ...serverChanges(draft)])
  } catch (fault) {
    throw asAppFault(fault, home)
  }
  return { configFile, keyFile: draft?.key === undefined ? undefined : loginFile(home) }
}

/** As a whole: settings of another server, such as its headers, are not for this one. */
function serverChanges(draft: SetupDraft | undefined): readonly ConfigChange[] {
  const settings = draft === undefined ? undefined : draftSettings(draft)
  if (draft === undefined || settings === undefined) return []
  return [{ path: ["providers", draft.provider], value: settings }]
}

function asAppFault(fault: unknown, home: string): unknown {
  if (fault instanceof ConfigFault) return usageFault(fault.message)
  if (fault instanceof Error && "code" in fault)
    return new AppFault(`nothing can be written in ${home}: ${describeError(fault)}. Check its owner and the disk.`)
  return fault
}
