// Documents of a git repository: the text files of its newest commit. A file whose content has the object id that is in
// the index is not read again.
import { createHash } from "node:crypto"
import { extname, join } from "node:path"
import type { Extractor } from "../extract/extractor.ts"
import { kindOfName } from "../extract/kinds.ts"
import { plainText } from "../extract/plain-text.ts"
import type { Source } from "../ingest/source.ts"
import { pathFilter } from "../sources/path-filter.ts"
import type { Reading, ReadingContext } from "../sources/reading.ts"
import type { RegisteredSource } from "../sources/registry.ts"
import { ContentReader, fetchNewest, trackedFiles, type Repository, type TrackedFile } from "./repository.ts"

/** Larger files are skipped. */
const MAX_FILE_BYTES = 2 * 1024 * 1024
const MAX_FILES = 20_000
/** As git looks for it. */
const ZERO_BYTE_SEARCH = 8000

type GitSource = Pick<RegisteredSource, "org" | "root" | "prefix" | "options">

export function readRepository(source: GitSource, context: ReadingContext): Reading {
  let commit: string | undefined
  let skipped = 0
  let isCut = false
  async function* documents(): AsyncGenerator<Source> {
    const repository = repositoryOf(source, context)
    commit = await fetchNewest(repository)
    const isWanted = pathFilter(source.options)
    const files = (await trackedFiles(repository, commit)).filter(({ path }) => isWanted(path))
    isCut = files.length > MAX_FILES
    const reader = new ContentReader(repository)
    try {
      for (const file of files.slice(0, MAX_FILES)) {
        const document = await documentOf(source, file, { ...context, reader })
        if (document === undefined) skipped += 1
        else yield document
      }
    } finally {
      reader.close()
    }
  }
  return {
    documents: documents(),
    end: () => ({
      isComplete: !isCut,
      revision: commit,
      note: isCut
        ? `only the first ${MAX_FILES} files were read. Choose some with --include or --exclude`
        : skipped === 0
          ? undefined
          : `${skipped} files that are not text, or larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB, were skipped`,
    }),
  }
}

function repositoryOf({ org, root }: GitSource, { cache, signal, onProgress }: ReadingContext): Repository {
  const name = createHash("sha256").update(`${org}\n${root}`).digest("hex").slice(0, 32)
  return { location: root, folder: join(cache, name), signal, onProgress }
}

interface ContentContext extends Pick<ReadingContext, "known" | "extractor"> {
  readonly reader: ContentReader
}

async function documentOf(
  { root, prefix }: GitSource,
  file: TrackedFile,
  { known, extractor, reader }: ContentContext,
): Promise<Source | undefined> {
  const name = `${prefix}${file.path}`
  const hash = `git:${file.objectId}`
  const document = { name, place: `${root}#${file.path}`, root, url: undefined }
  const mark = async () => ({ hash, bytes: file.bytes })
  if (known(name)?.hash === hash) return { ...document, mark, text: () => textOf(file, reader.read(file), extractor) }
  if (file.bytes > MAX_FILE_BYTES || !mayBeText(file.path)) return undefined
  const content = await reader.read(file)
  if (content.subarray(0, ZERO_BYTE_SEARCH).includes(0)) return undefined
  return { ...document, mark, text: () => textOf(file, Promise.resolve(content), extractor) }
}

async function* textOf(file: TrackedFile, content: Promise<Buffer>, extractor: Extractor): AsyncGenerator<string> {
  const bytes = await content
  if (kindOfName(file.path) === "html") yield await extractor.text({ kind: "html", file: bytes })
  else yield* plainText(one(bytes))
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Most binary files of repositories, so that they are not read each time. */
const binaryEndings = new Set(
  ".png .jpg .jpeg .gif .webp .ico .bmp .tiff .pdf .zip .gz .tgz .bz2 .xz .7z .jar .class .so .a .o .exe .dll .wasm .woff .woff2 .ttf .otf .eot .mp3 .mp4 .mov .avi .webm .ogg .sqlite .db .bin .pyc .docx .xlsx .pptx .odt .epub".split(
    " ",
  ),
)

function mayBeText(path: string): boolean {
  return !binaryEndings.has(extname(path).toLowerCase())
}
