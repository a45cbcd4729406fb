// Shell hooks of plugins in the format of Claude Code. They run as those of the configuration and see their plugin's folder.
import type { HookProcessDeps } from "../../hooks/shell/run-hook.ts"
import type { ShellHooks } from "../../hooks/shell/shell-hooks.ts"
import type { Sandbox } from "../../processes/sandbox.ts"
import { translateClaudeSettings } from "../import/claude-settings.ts"
import type { SessionPlugin } from "../plugins/session-plugins.ts"

export async function pluginHooks(
  plugins: readonly SessionPlugin[],
  deps: HookProcessDeps,
  warn: (sentence: string) => void,
): Promise<readonly ShellHooks[]> {
  const { shellHooks } = await import("../../hooks/shell/shell-hooks.ts")
  return plugins.flatMap(({ id, folder, hooks }) => {
    const env = { ...deps.env, CLAUDE_PLUGIN_ROOT: folder, PLUGIN_DIR: folder }
    const own = { ...deps, env, sandbox: showing(folder, deps.sandbox) }
    return hooks.map(({ value }) => {
      const translated = translateClaudeSettings({ hooks: value })
      for (const reason of translated.skipped) warn(`plugin ${id}: ${reason}; it is not used`)
      return shellHooks(translated.hooks, own)
    })
  })
}

/** The home, where plugins are installed, is hidden from commands. */
function showing(folder: string, sandbox: Sandbox): Sandbox {
  return {
    ...sandbox,
    wrap: (command, cwd, limits = {}) =>
      sandbox.wrap(command, cwd, { ...limits, shown: [...(limits.shown ?? []), folder] }),
  }
}

export function joinHooks(all: readonly ShellHooks[]): ShellHooks | undefined {
  if (all.length === 0) return undefined
  return { handlersFor: (life) => all.flatMap((hooks) => hooks.handlersFor(life)) }
}
