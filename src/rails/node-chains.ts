const nodes = new Map<object, { host: string; isWrong: boolean }>()

/** For the metrics of this process: whether the last answer of a node came from a wrong chain. */
export function noteNodeChain(node: { host: string }, isWrong: boolean): void {
  nodes.set(node, { host: node.host, isWrong })
}

export function forgetNodeChain(node: object): void {
  nodes.delete(node)
}

/** By host: the URLs of two nodes of one host may differ only in their API key, a secret. */
export function listNodeChains(): { host: string; isWrong: boolean }[] {
  const wrongByHost = new Map<string, boolean>()
  for (const { host, isWrong } of nodes.values())
    wrongByHost.set(host, isWrong || (wrongByHost.get(host) ?? false))
  return [...wrongByHost].map(([host, isWrong]) => ({ host, isWrong }))
}
