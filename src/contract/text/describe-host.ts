// Names a host in a sentence. In a cluster by its node: a pid means nothing on another machine.
export function describeHost(role: string, pid: number, node: string | undefined): string {
  return node === undefined ? `${role}, pid ${pid}` : `${role} on node ${node}`
}
