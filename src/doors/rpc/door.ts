// The stdio child (synaps RPC v1) as a door: one parent on one pair of pipes.
import { rpcErrors } from "../../protocols/rpc/errors.ts"
import { rpcLimits } from "../../protocols/rpc/limits.ts"
import type { SessionHandle } from "../../contract/host-port.ts"
import { RpcDoor, type RpcDoorOptions } from "./rpc-door.ts"

export const errors = rpcErrors
export const limits = rpcLimits

export function open(handle: SessionHandle, options: RpcDoorOptions): Promise<RpcDoor> {
  return RpcDoor.open(handle, options)
}
