// Writes the choice of setup and says where.
import { loadContext, type AppContext } from "../../app/context.ts"
import { saveSetup } from "../../app/setup/save.ts"
import { noticeOtherKey } from "../../app/settings/logins.ts"
import type { SetupChoice } from "./ask-setup.ts"
import { printText } from "./print-text.ts"

export async function finishSetup(context: AppContext, { draft, model }: SetupChoice): Promise<void> {
  const { configFile, keyFile } = await saveSetup(context, draft, model)
  if (keyFile !== undefined) printText(`The key is stored in ${keyFile}, readable by you only.`)
  if (draft?.key !== undefined) noticeOtherKey(draft.provider, context)
  printText(`Model ${model} is set in ${configFile}.`)
  const { config } = await loadContext({ home: context.home, cwd: context.cwd })
  if (config.model !== model) printText(`turnhouse.json of this folder sets ${config.model}, which is used here.`)
}
