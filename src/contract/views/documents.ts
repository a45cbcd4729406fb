// The documents of the knowledge index, and why a search found a passage.
import { z } from "zod"
import { list } from "./list.ts"

export const DocumentEntry = z.object({
  org: z.string(),
  /** The path or address below what was added. */
  name: z.string(),
  /** Its first heading; empty without one. */
  title: z.string(),
  /** `pdf`, `html`, …: how it was read. */
  kind: z.string(),
  /** Where it was read from: for the owner. */
  source: z.string().optional(),
  url: z.string().optional(),
  passages: z.int(),
  bytes: z.number(),
  addedAt: z.number(),
  language: z.string(),
  sets: list(z.string()),
  /** The groups that find it; none: no one does. Absent: everyone in the organisation. */
  audience: list(z.string()).optional(),
})
export type DocumentEntry = z.infer<typeof DocumentEntry>

export const DocumentPage = z.object({
  total: z.int(),
  matching: z.int(),
  offset: z.int(),
  documents: list(DocumentEntry),
  /** Organisations with documents that the client may see. */
  orgs: list(z.string()),
})
export type DocumentPage = z.infer<typeof DocumentPage>

/** A part of a document. */
export const DocumentText = z.object({
  /** Absent if there is none that the client may see. */
  document: DocumentEntry.optional(),
  passages: list(z.object({ ordinal: z.int(), heading: z.string(), text: z.string() })),
})
export type DocumentText = z.infer<typeof DocumentText>

export const QuestionWord = z.object({
  text: z.string(),
  /** What it is looked up as: stems in the languages of the documents. */
  terms: list(z.string()),
  state: z.enum(["used", "stop word", "in no document", "too common"]),
  /** Passages that have it, at most. */
  passages: z.int(),
  /** Its part of the weight of the question, from 0 to 1. */
  share: z.number(),
})
export type QuestionWord = z.infer<typeof QuestionWord>

export const FoundPassage = z.object({
  name: z.string(),
  title: z.string(),
  url: z.string().optional(),
  ordinal: z.int(),
  heading: z.string(),
  text: z.string(),
  snippet: z.string(),
  /** For the order. */
  score: z.number(),
  /** Without vectors. */
  byWords: z.number(),
  /** Of the vectors, where there are any. */
  similarity: z.number().optional(),
  /** The part of the question that the passage is about, from 0 to 1. */
  fit: z.number(),
  /** Whether an agent gets it: a passage of its document fits. */
  isFitting: z.boolean(),
  /** Words of the question that it has, and where. `count` is in the text. */
  words: list(
    z.object({
      text: z.string(),
      terms: list(z.string()),
      count: z.int(),
      isInHeading: z.boolean(),
      isInTitle: z.boolean(),
      isInName: z.boolean(),
    }),
  ),
  /** By how much `byWords` were lower without each of these. They do not add up: words support each other. */
  parts: list(
    z.object({ kind: z.enum(["word", "title", "heading", "nearness"]), word: z.string(), score: z.number() }),
  ),
})
export type FoundPassage = z.infer<typeof FoundPassage>

export const DocumentSearch = z.object({
  /** The fit from which a passage counts as an answer. */
  minFit: z.number(),
  /** Whether the search also compared meanings. */
  hasVectors: z.boolean(),
  words: list(QuestionWord),
  passages: list(FoundPassage),
})
export type DocumentSearch = z.infer<typeof DocumentSearch>
