import { fromReference, prefixes, toReference, unusedId } from '../base/ids.js'

/** The chain of lines that belong to no merchant. Other chains have the id of their merchant. */
export const installationChain = unusedId

const installationName = 'installation'

/** Readable name of a chain: `mer_…` or `installation`. */
export function chainName(chain: string): string {
  return chain === installationChain ? installationName : toReference(prefixes.merchant, chain)
}

/** Undefined: not the name of a chain. */
export function readChainName(name: string): string | undefined {
  return name === installationName ? installationChain : fromReference(prefixes.merchant, name)
}
