// Git repositories of the stories.
import type { Workspace } from "./workspace.ts"

/** With everything in the folder as its first commit, pushed to a bare repository beside it, whose path is returned. */
export async function createRepository(workspace: Workspace, folder: string): Promise<string> {
  const remote = workspace.path("remote.git")
  const local = [
    ["init", "-q", "-b", "main"],
    ["config", "user.name", "Demo"],
    ["config", "user.email", "demo@example.invalid"],
    ["config", "commit.gpgSign", "false"], // the user may have settings that do not belong in a story
    ["config", "core.hooksPath", ".git/hooks"],
    ["add", "."],
    ["commit", "-q", "-m", "The beginning"],
    ["remote", "add", "origin", remote],
  ]
  for (const args of local) await workspace.git(args, folder)
  await workspace.git(["init", "-q", "--bare", "-b", "main", remote], workspace.folder)
  await workspace.git(["config", "core.logAllRefUpdates", "true"], remote) // a line for each push
  await workspace.git(["push", "-q", "origin", "main"], folder)
  return remote
}

/** Updates of the branch of a remote; the first is from before the story. */
export async function pushesTo(workspace: Workspace, remote: string): Promise<number> {
  return linesOf(await workspace.git(["reflog", "show", "--format=%H", "main"], remote)).length
}

/** The files of each commit after the first, newest first. */
export async function committedFiles(workspace: Workspace, folder: string): Promise<readonly (readonly string[])[]> {
  const hashes = linesOf(await workspace.git(["rev-list", "main"], folder)).slice(0, -1)
  const shown = hashes.map((hash) => workspace.git(["show", "--format=", "--name-only", hash], folder))
  return (await Promise.all(shown)).map(linesOf)
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "")
}
