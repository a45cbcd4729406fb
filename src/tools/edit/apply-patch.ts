// Applies a patch to several files, all or none: every new content is computed first, and if a file cannot be stored the
// ones before it are restored.
import { lstatSync } from "node:fs"
import { rm } from "node:fs/promises"
import { resolve } from "node:path"
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import { diffsField, fileDiffOf, type PathDiff } from "../../contract/rules/file-diff.ts"
import { patchPaths } from "../../contract/rules/patch-paths.ts"
import type { ApplyPatchInput } from "../../contract/tool-inputs.ts"
import { fileLocks } from "../../features/locks/tools/file-locks.ts"
import { defineTool, failed, withoutPreparation } from "../define-tool.ts"
import type { FileChange } from "../diagnostics/language-client.ts"
import type { FileToolDeps } from "../files/file-memory.ts"
import { displayPathOf, realPathOf } from "../files/paths.ts"
import { withFile, type HeldFile } from "../files/with-file.ts"
import { boundText } from "../output-bound.ts"
import type { Tool, ToolContext, ToolResult } from "../tool.ts"
import { applyHunks } from "./apply-hunks.ts"
import { changeResult, currentText, storeText, type TextFile } from "./change-file.ts"
import { formattedText } from "./formatter.ts"
import { nearestLines } from "./nearest-lines.ts"
import { parsePatch, type FilePatch } from "./patch-format.ts"
import { existingFile, replaceFile } from "./replace-file.ts"
import { withDiagnostics } from "./with-diagnostics.ts"

export function applyPatchTool(deps: FileToolDeps): Tool {
  return defineTool<ApplyPatchInput>({
    name: "apply_patch",
    description:
      "Changes files by a patch: *** Begin Patch, then *** Add File: PATH, *** Delete File: PATH or *** Update File: PATH (with *** Move to: PATH) and its lines with a space, - or + in front, @@ for context, then *** End Patch. All files are changed or none.",
    class: "unsafe",
    check: checks.apply_patch,
    refine: ({ input }) => {
      const parsed = parsePatch(input)
      return parsed.kind === "no" ? parsed.reason : undefined
    },
    inputSchema: toolInputSchemas.apply_patch,
    resources: ({ input }, cwd) => patchPaths(input).map((path) => `file:${realPathOf(path, cwd)}`),
    locks: async ({ input }, cwd) => patchPaths(input).flatMap((path) => fileLocks(path, cwd)),
    prepare: async ({ input }, context) => withoutPreparation(context, () => applyPatch(input, context, deps)),
  })
}

/** Files whose changes clients can show. */
const MAX_DIFFS = 20

/** The new state of one path: a text, or none. */
interface Step {
  readonly path: string
  readonly before: TextFile | undefined
  readonly after: string | undefined
  /** The file that is moved here: its mode and encoding are kept. */
  readonly movedFrom?: TextFile
  readonly title: string
}

type Plan =
  | { readonly kind: "steps"; readonly steps: readonly Step[] }
  | { readonly kind: "no"; readonly reason: string }

async function applyPatch(patch: string, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  const parsed = parsePatch(patch)
  if (parsed.kind === "no") return failed(parsed.reason)
  const plan = await planned(parsed.files, context, deps)
  if (plan.kind === "no") return failed(`${plan.reason} No file was changed.`)
  const done: Step[] = []
  for (const step of plan.steps) {
    const result = await stored(step, context, deps)
    if (result.outcome === "failed") return failed(await rolledBack(done, result.output, context, deps))
    done.push(step)
  }
  const shown: string[] = []
  const diffs: PathDiff[] = []
  const changes: FileChange[] = []
  for (const step of plan.steps) {
    const { result, after } = await shownStep(step, context, deps)
    const diff = fileDiffOf(result.details)
    shown.push(result.output)
    if (diff !== undefined && diffs.length < MAX_DIFFS) diffs.push({ path: step.path, ...diff })
    changes.push({ ...placeOf(step.path, context), before: step.before?.text, after })
  }
  const paths = [...new Set(plan.steps.map(({ path }) => path))]
  const details = { paths, [diffsField]: diffs }
  const result: ToolResult = { outcome: "done", output: boundText(shown.join("\n")), details }
  return withDiagnostics(result, changes, context, deps)
}

function placeOf(path: string, { cwd }: ToolContext): Pick<FileChange, "realPath" | "displayPath"> {
  const realPath = realPathOf(path, cwd)
  return { realPath, displayPath: displayPathOf(realPath, realPathOf(cwd, "/")) }
}

/** What became of a file, after its formatter. */
async function shownStep(step: Step, context: ToolContext, deps: FileToolDeps): Promise<ShownStep> {
  const { path, title, before } = step
  const old = before?.text ?? ""
  if (step.after === undefined) return { result: await changeResult(title, old, "", {}, context), after: undefined }
  let { after } = step
  const result = await withFile(path, "changed", context, deps, async (file) => {
    const memory = deps.fileMemoryFor(context.sessionId)
    const { text, notices } = await formattedText(file, after, context, { format: deps.format, memory })
    after = text
    return changeResult([title, ...notices].join("\n"), old, text, {}, context)
  })
  return { result, after }
}

interface ShownStep {
  readonly result: ToolResult
  /** The text after the formatter; undefined if the file was deleted. */
  readonly after: string | undefined
}

async function planned(files: readonly FilePatch[], context: ToolContext, deps: FileToolDeps): Promise<Plan> {
  const paths = files.flatMap((file) =>
    file.kind === "update" && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path],
  )
  const real = paths.map((path) => realPathOf(path, context.cwd))
  if (new Set(real).size < real.length) return { kind: "no", reason: "The patch names a file twice." }
  const steps: Step[] = []
  for (const file of files) {
    const plan = await plannedFile(file, context, deps)
    if (plan.kind === "no") return plan
    steps.push(...plan.steps)
  }
  return { kind: "steps", steps }
}

async function plannedFile(patch: FilePatch, context: ToolContext, deps: FileToolDeps): Promise<Plan> {
  const { path } = patch
  if (patch.kind === "add") {
    const reason = await occupiedReason(path, context, deps)
    if (reason !== undefined) return { kind: "no", reason }
    return { kind: "steps", steps: [{ path, before: undefined, after: patch.text, title: `Added ${path}.` }] }
  }
  if (isRemoved(patch) && isLink(path, context.cwd))
    return { kind: "no", reason: `${path} is a symbolic link; move or delete it with bash.` }
  const before = await loaded(path, context, deps)
  if (typeof before === "string") return { kind: "no", reason: before }
  if (patch.kind === "delete")
    return { kind: "steps", steps: [{ path, before, after: undefined, title: `Deleted ${path}.` }] }
  const applied = applyHunks(before.text, patch.hunks)
  if (applied.kind === "no") {
    const nearest = nearestLines(before.text, applied.missing)
    const hint = nearest === undefined ? "" : `\nThe nearest lines are:\n${nearest}\n`
    return { kind: "no", reason: `${path} does not have these lines:\n${applied.missing}${hint || "\n"}` }
  }
  const { moveTo } = patch
  if (moveTo === undefined)
    return { kind: "steps", steps: [{ path, before, after: applied.text, title: `Changed ${path}.` }] }
  const reason = await occupiedReason(moveTo, context, deps)
  if (reason !== undefined) return { kind: "no", reason }
  const title = `Moved ${path} to ${moveTo}.`
  const added = { path: moveTo, before: undefined, after: applied.text, movedFrom: before, title }
  return { kind: "steps", steps: [added, { path, before, after: undefined, title: `Deleted ${path}.` }] }
}

function isRemoved(patch: FilePatch): boolean {
  return patch.kind === "delete" || (patch.kind === "update" && patch.moveTo !== undefined)
}

/** Tools use the file that a link leads to, so the link itself cannot be removed here. */
function isLink(path: string, cwd: string): boolean {
  return lstatSync(resolve(cwd, path), { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** The text of a file that the patch changes, or why it cannot. */
async function loaded(path: string, context: ToolContext, deps: FileToolDeps): Promise<TextFile | string> {
  let found: TextFile | undefined
  const result = await withFile(path, "changed", context, deps, async (file) => {
    const current = await currentText(file, context, deps)
    if (current.kind !== "text") return failed(current.reason)
    found = current
    return { outcome: "done", output: "" }
  })
  return found ?? result.output
}

/** Why no file can be added here; guards and missing folders are seen when it is stored. */
async function occupiedReason(path: string, context: ToolContext, deps: FileToolDeps): Promise<string | undefined> {
  let reason: string | undefined
  await withFile(path, "read", context, deps, async (file) => {
    const existing = await existingFile(file)
    if (existing.kind === "no") reason = existing.reason
    if (existing.kind === "file") reason = `${file.displayPath} exists already; update it instead.`
    return { outcome: "done", output: "" }
  })
  return reason
}

async function stored(step: Step, context: ToolContext, deps: FileToolDeps): Promise<ToolResult> {
  const { path, before, after, movedFrom } = step
  const verb = after === undefined ? "changed" : "written"
  return withFile(path, verb, context, deps, async (file) => {
    const reason =
      after === undefined
        ? await removed(file, before, context, deps)
        : await storeText(file, after, { before, like: before ?? movedFrom }, deps.fileMemoryFor(context.sessionId))
    return reason === undefined ? { outcome: "done", output: "" } : failed(reason)
  })
}

async function removed(
  file: HeldFile,
  before: TextFile | undefined,
  context: ToolContext,
  deps: FileToolDeps,
): Promise<string | undefined> {
  const current = await currentText(file, context, deps)
  if (current.kind !== "text") return current.reason
  if (before?.bytes.equals(current.bytes) !== true) return `${file.displayPath} was changed at the same moment.`
  await rm(file.folder.at(file.name))
  return undefined
}

/** Restores what was stored, newest first, and says what happened. */
async function rolledBack(
  done: readonly Step[],
  reason: string,
  context: ToolContext,
  deps: FileToolDeps,
): Promise<string> {
  const kept: string[] = []
  for (const { path, before, after } of done.toReversed()) {
    const result = await withFile(path, "written", context, deps, async (file) => {
      const now = await existingFile(file)
      const stat = now.kind === "file" ? now.stat : undefined
      if (before === undefined) await rm(file.folder.at(file.name), { force: true })
      else if ((await replaceFile(file, before.bytes, after === undefined ? undefined : stat)).kind === "changed")
        return failed("changed")
      return { outcome: "done", output: "" }
    })
    if (result.outcome === "failed") kept.push(path)
  }
  const state = kept.length === 0 ? "No file was changed." : `These files stay changed: ${kept.join(", ")}.`
  return `${reason} ${state}`
}
