import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { runStory } from "./run-story.ts"
import { StoryFault, type RunningStory, type Story, type StoryOutput } from "./story.ts"

function recordingOutput(): { readonly output: StoryOutput; readonly shown: string[] } {
  const shown: string[] = []
  const output: StoryOutput = {
    canAsk: false,
    intro: ({ title }) => void shown.push(title),
    follow: () => {},
    step: async ({ number, count }, { title }) => void shown.push(`${number}/${count} ${title}`),
    say: () => {},
    command: () => {},
    verified: (claim) => void shown.push(`✓ ${claim}`),
    progress: (_, work) => work,
    show: () => {},
    message: () => {},
    ask: async () => undefined,
    outro: ({ claims }) => void shown.push(`${claims} claims`),
  }
  return { output, shown }
}

/** A story of one step; its state is its folder. */
function storyOf(run: (story: RunningStory, folder: string) => Promise<void>): Story<string> {
  const step = { title: "step", real: "all", scripted: "nothing", run }
  return { name: "test", title: "title", summary: "", steps: [step], prepare: async (story) => story.workspace.folder }
}

const { signal } = new AbortController()

describe("a story", () => {
  it("shows its steps and counts the claims that it verified", async () => {
    const { output, shown } = recordingOutput()
    const story = storyOf(async (running) => running.verify("one is one", true, 1))
    await runStory(story, { output, keeps: false, signal })
    expect(shown).toEqual(["title", "1/1 step", "✓ one is one", "1 claims"])
  })

  it("fails with what it found when a claim is not true, and removes its folder", async () => {
    const { output, shown } = recordingOutput()
    let seen = ""
    const story = storyOf(async (running, folder) => {
      seen = folder
      expect(existsSync(folder)).toBe(true)
      running.verify("one is two", false, { number: 1 })
    })
    const told = runStory(story, { output, keeps: false, signal })
    await expect(told).rejects.toThrow(StoryFault)
    await expect(told).rejects.toThrow('could not verify that one is two. Found: {"number":1}.')
    expect(shown).not.toContain("✓ one is two")
    expect(existsSync(seen)).toBe(false)
  })

  it("is interrupted while a step never ends, and removes its folder", async () => {
    const { output } = recordingOutput()
    const stop = new AbortController()
    let seen = ""
    const story = storyOf((_, folder) => {
      seen = folder
      stop.abort(new Error("interrupted"))
      return new Promise(() => {})
    })
    await expect(runStory(story, { output, keeps: false, signal: stop.signal })).rejects.toThrow("interrupted")
    expect(existsSync(seen)).toBe(false)
  })

  it("starts no program after its end", async () => {
    const { output } = recordingOutput()
    let late: RunningStory | undefined
    await runStory(
      storyOf(async (running) => void (late = running)),
      { output, keeps: false, signal },
    )
    expect(() => late?.workspace.start(["host"])).toThrow("the story is over")
  })
})

describe("the programs of a story", () => {
  it("get neither the keys nor the settings of the user", async () => {
    const { output } = recordingOutput()
    const story = storyOf(async ({ workspace }, folder) => {
      const names = (await workspace.succeed("env", [])).split("\n").map((line) => line.split("=")[0])
      expect(names).not.toContain("VITEST")
      expect(workspace.env["HOME"]).toBe(`${folder}/user`)
      expect(workspace.env["TURNHOUSE_HOME"]).toBe(`${folder}/home`)
    })
    await runStory(story, { output, keeps: false, signal })
  })

  it("that fail end the story with their error", async () => {
    const { output } = recordingOutput()
    const story = storyOf(async ({ workspace }) => void (await workspace.succeed("sh", ["-c", "echo no >&2; exit 3"])))
    await expect(runStory(story, { output, keeps: false, signal })).rejects.toThrow("failed with exit code 3: no")
  })
})
