// Declares events, commands, deltas and refusals. Only stored events have versions: a changed shape is a new version
// with an upcast (stored-event.ts), so that logs of every release stay readable.
import { z } from "zod"

export function durable<Type extends string, Shape extends z.ZodRawShape>(type: Type, version: number, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape }).meta({ title: type, version })
}

export function live<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape }).meta({ title: type })
}

export const command = live

export function refusal<Code extends string, Shape extends z.ZodRawShape>(code: Code, shape: Shape) {
  return z.object({ code: z.literal(code), ...shape }).meta({ title: code })
}

/** The type of an object with these fields. Without fields zod would infer an object that must be empty. */
export type FieldsOf<Shape extends z.ZodRawShape> = [keyof Shape] extends [never]
  ? unknown
  : z.infer<z.ZodObject<Shape>>
