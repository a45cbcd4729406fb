// The bundled model, on questions phrased differently from the passages that answer them.
import { tmpdir } from "node:os"
import { expect, it } from "vitest"
import { loadLocalEmbedder } from "../../src/knowledge/embedder.ts"
import { measureRecall } from "./recall.ts"

it("finds at least as much by words and meaning together as by either alone", async () => {
  const { questions, passages, words, meaning, both } = await measureRecall(await loadLocalEmbedder(tmpdir()))
  expect(questions).toBeGreaterThanOrEqual(60)
  expect(passages).toBeGreaterThanOrEqual(60)
  expect(both.atFive).toBeGreaterThanOrEqual(Math.max(words.atFive, meaning.atFive))
  expect(both.atFive).toBeGreaterThanOrEqual(0.85)
  expect(words.atFive).toBeLessThan(0.6) // else the questions would use the words of the passages
})
