/** Computations that the console shares with the service assert what must be true there. */
export function strict(value: unknown, message?: string): asserts value {
  if (!value) throw new Error(message)
}
