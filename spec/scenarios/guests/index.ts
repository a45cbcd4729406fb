// Who comes in through which door.
import type { DoorName } from "../scenario.ts"
import type { Guest } from "./guest.ts"
import { HouseGuest } from "./house-guest.ts"
import { IpcGuest } from "./ipc-guest.ts"
import type { Connect } from "./listener.ts"
import { RpcGuest } from "./rpc-guest.ts"
import { WsGuest } from "./ws-guest.ts"

const guests: Readonly<Record<DoorName, new (connect: Connect, folder: string) => Guest>> = {
  ws: WsGuest,
  rpc: RpcGuest,
  ipc: IpcGuest,
  house: HouseGuest,
}

/** `folder` is where a session that a guest makes is to live. */
export async function arrive(door: DoorName, connect: Connect, folder: string): Promise<Guest> {
  const guest = new guests[door](connect, folder)
  await guest.comeBack()
  return guest
}
