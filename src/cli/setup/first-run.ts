// The question of the first `run`: a user without a model chooses one instead of getting the offline demo.
import type { AppContext } from "../../app/context.ts"
import { lacksModel } from "../../app/setup/find-providers.ts"
import { askSetup, demo } from "./ask-setup.ts"
import { finishSetup } from "./finish.ts"
import { printText } from "./print-text.ts"

/** Whether a model was chosen and the configuration has to be read again. */
export async function offerSetup(context: AppContext): Promise<boolean> {
  if (!(await lacksModel(context))) return false
  printText("No model is configured. Choose one, or look around with the offline demo.")
  const choice = await askSetup(context)
  if (choice === demo) {
    printText(
      "This command uses the demo; 'turnhouse setup' chooses a model, '--model offline/demo' skips the question.\n",
    )
    return false
  }
  await finishSetup(context, choice)
  printText("")
  return true
}
