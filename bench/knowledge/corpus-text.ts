// Passages of a corpus, split by the product's own code: every engine gets the same. They are kept beside the corpus,
// because reading thousands of pages takes longer than measuring.
import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Extractor } from "../../src/knowledge/extract/extractor.ts"
import { findSources } from "../../src/knowledge/ingest/find-sources.ts"
import { Chunker, type Chunk } from "../../src/knowledge/text/chunker.ts"
import { corporaFolder, type Corpus } from "./corpora.ts"

export interface CorpusDocument {
  readonly name: string
  readonly chunks: readonly Chunk[]
}

const code = fileURLToPath(new URL("../../src/knowledge/", import.meta.url))

/** Another one after each change of the code that makes the passages. */
function cacheFile(name: string): string {
  const digest = createHash("sha256")
  for (const file of globSync("{extract,ingest,text}/**/*.ts", { cwd: code }).toSorted())
    if (!file.endsWith(".test.ts")) digest.update(readFileSync(join(code, file)))
  return join(corporaFolder, `${name}.${digest.digest("hex").slice(0, 12)}.passages.json`)
}

export async function documentsOf({ name }: Pick<Corpus, "name">): Promise<readonly CorpusDocument[]> {
  const folder = join(corporaFolder, name)
  if (!existsSync(folder)) throw new Error(`${folder} is missing. Run: node bench/knowledge/install.ts ${name}`)
  const cache = cacheFile(name)
  if ((statSync(cache, { throwIfNoEntry: false })?.size ?? 0) > 0) return JSON.parse(readFileSync(cache, "utf8"))
  const documents = await readDocuments(folder)
  writeFileSync(cache, JSON.stringify(documents))
  return documents
}

async function readDocuments(folder: string): Promise<readonly CorpusDocument[]> {
  const extractor = new Extractor()
  const documents: CorpusDocument[] = []
  for await (const source of findSources(folder, extractor)) {
    const chunker = new Chunker()
    const chunks: Chunk[] = []
    for await (const piece of source.text()) chunks.push(...chunker.push(piece))
    documents.push({ name: source.name, chunks: [...chunks, ...chunker.end()] })
  }
  await extractor.close()
  return documents
}
