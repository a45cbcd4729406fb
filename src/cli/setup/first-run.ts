// The question of the first `run`: a user without a model chooses one instead of getting the offline demo.
import type { AppContext } from "../../app/context.ts"
import { lacksModel } from "../../app/setup/find-providers.ts"

/** Whether a model was chosen and the configuration has to be read again. */
export async function offerSetup(context: AppContext): Promise<boolean> {
  if (!(await lacksModel(context))) return false
  const [{ askSetup, demo }, { finishSetup }, { printText }] = await Promise.all([
    import("./ask-setup.ts"),
    import("./finish.ts"),
    import("./print-text.ts"),
  ])
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
