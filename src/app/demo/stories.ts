// The stories by name. Each is loaded when it runs.
import type { Story } from "./story.ts"

/** Runs a story of whatever state it has. */
type Play = (run: <State>(story: Story<State>) => Promise<void>) => Promise<void>

/** Undefined for an unknown name. */
export async function loadStory(name: string | undefined): Promise<Play | undefined> {
  switch (name) {
    case undefined: {
      const { pushStory } = await import("./push/story.ts")
      return (run) => run(pushStory)
    }
    case "team": {
      const { teamStory } = await import("./team/story.ts")
      return (run) => run(teamStory)
    }
    case "shop": {
      const { shopStory } = await import("./shop/story.ts")
      return (run) => run(shopStory)
    }
    default:
      return undefined
  }
}
