// The script of the search box as one small file.
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

export async function searchScript(): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL("page/search.ts", import.meta.url)),
    tsconfig: false,
    onLog: (_level, { message }) => {
      throw new Error(message)
    },
  })
  const { output } = await build.generate({ format: "esm", minify: true })
  await build.close()
  return output[0].code
}
