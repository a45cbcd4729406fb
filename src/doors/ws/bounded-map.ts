/** Sets the newest entry of a map, and drops the oldest beyond `max`. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.size > max ? map.keys().next() : undefined
  if (oldest?.done === false) map.delete(oldest.value)
}
