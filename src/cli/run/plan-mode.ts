// `--plan`: one turn in plan mode. The command leaves plan mode after the turn, so that the next one can carry the plan
// out, unless another client had entered it.
import type { SessionHandle } from "../../contract/host-port.ts"
import { refusalFault } from "../../app/app-fault.ts"
import { sendCommand } from "../../app/host/send-command.ts"

export async function inPlanMode<End>(handle: SessionHandle, turn: () => Promise<End>): Promise<End> {
  const isOurs = await enter(handle)
  const end = await turn()
  if (isOurs) await sendCommand(handle, { type: "exit-plan" })
  return end
}

async function enter(handle: SessionHandle): Promise<boolean> {
  const sent = await handle.send({ type: "enter-plan" })
  if (sent.kind === "accepted") return true
  if (sent.refusal.code === "plan.already") return false
  throw refusalFault(sent.refusal)
}
