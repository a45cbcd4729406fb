// `turnhouse ext new DIR`: creates a small working extension for its author to change.
import { join } from "node:path"
import { createExtension } from "../../app/extensions/scaffold.ts"
import type { Args } from "../command.ts"
import { printResult } from "../output.ts"

export async function scaffold(dir: string, args: Args): Promise<number> {
  const { folder, files } = createExtension(dir, args.text("language") ?? "ts")
  const text = [
    ...files.map((path) => `created ${join(dir, path)}`),
    `It blocks 'rm -rf' in bash. Change it, then run: turnhouse ext check ${dir}`,
    `To use it, put it into $TURNHOUSE_HOME/plugins, or add "${folder}" to extensions.paths.`,
    "",
  ]
  return printResult(args, { folder, files }, () => text.join("\n"))
}
