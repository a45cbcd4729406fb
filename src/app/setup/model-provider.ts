// The provider of a model that the user names.
import { createModelSource } from "../../models/registry.ts"
import type { AppContext } from "../context.ts"
import { modelsOfHome } from "../settings/model-files.ts"

/** Both are undefined if no provider is known for the name. */
export async function providerOfModel(
  name: string,
  { config, home }: AppContext,
): Promise<{ readonly provider?: string; readonly model?: string }> {
  return (await createModelSource({ config, env: process.env, ...modelsOfHome(home) }).routeOf(name)) ?? {}
}
