// Skills from texts, for tests.
import type { Setting } from "../runner/session-context.ts"

export function fixedSkills(texts: Readonly<Record<string, string>>): NonNullable<Setting["skills"]> {
  const text = (name: string) => (Object.hasOwn(texts, name) ? texts[name] : undefined)
  return {
    list: async () => Object.keys(texts).map((name) => ({ name, description: `About ${name}.`, isOffered: true })),
    read: async (name) => text(name),
    open: async (name) => {
      const found = text(name)
      if (found === undefined) return { kind: "no", reason: `There is no skill named '${name}'.` }
      return { kind: "text", text: found, folder: `/skills/${name}`, files: [] }
    },
  }
}
