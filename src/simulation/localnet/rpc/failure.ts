/** A JSON-RPC error with Agave's codes and messages. */
export class RpcFailure extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

/** Turns the whole request into HTTP 429. */
export class RateLimited extends Error {}

export const rpcErrorCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflight: -32002,
  signature: -32003,
  nodeBehind: -32005,
  version: -32015,
  minContextSlot: -32016,
} as const

export function invalid(message: string): RpcFailure {
  return new RpcFailure(rpcErrorCodes.invalidParams, message)
}

export function nodeBehind(slots: number): RpcFailure {
  const data = { numSlotsBehind: slots }
  return new RpcFailure(rpcErrorCodes.nodeBehind, `Node is behind by ${slots} slots`, data)
}
