// The protocol between the log's writer process and its clients: one JSON object per line on a Unix socket. The writer
// sends a hello, then answers each request by its id, in order of arrival. Import only types from here: the checks are
// generated.
import { z } from "zod"

const id = z.int()

export const ClientFrame = z.union([
  /** `again`: sent before to a writer that ended without an answer. It is not stored twice. */
  z.object({ id, again: z.boolean().optional(), request: z.unknown() }),
  /** Sent by a client of a newer release, which then starts a writer of that release. */
  z.object({ leave: z.literal(true) }),
])
export type ClientFrame = z.infer<typeof ClientFrame>

export const WriterFrame = z.union([
  z.object({ hello: z.object({ protocol: z.int(), schema: z.int(), release: z.string() }) }),
  /** The connection is refused. */
  z.object({ refused: z.string() }),
  z.object({ id, answer: z.unknown() }),
  /** A fault of the writer, not of the disk. */
  z.object({ id, fault: z.string() }),
])
export type WriterFrame = z.infer<typeof WriterFrame>
