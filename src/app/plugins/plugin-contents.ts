// What a plugin brings, with the problems of its hooks as sessions name them.
import { contentsOf, type PluginContents } from "../../plugins/contents.ts"
import type { PluginLayout } from "../../plugins/layout.ts"
import { translateClaudeSettings } from "../import/claude-settings.ts"

export async function pluginContents(layout: PluginLayout): Promise<PluginContents> {
  const contents = await contentsOf(layout)
  const unfit = layout.hooks.flatMap(({ value }) => translateClaudeSettings({ hooks: value }).skipped)
  return { ...contents, problems: [...contents.problems, ...unfit.map((one) => `${one}; it is not used`)] }
}
