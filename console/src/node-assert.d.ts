/** Types of the service lead to its limits, which are asserted there. Nothing of it runs here. */
declare module 'node:assert' {
  export function strict(value: unknown, message?: string): asserts value
}
