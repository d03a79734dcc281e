import ipaddr from 'ipaddr.js'
import { requestRateLimits } from '../limits.js'

const ipv6NetworkBits = 64
const remembered = new Map<string, string>()

/**
 * The network by which limits count a caller. An IPv6 customer usually has a whole /64, so a limit
 * per address would limit nothing. An IPv4 address counts alone, also in IPv6 notation.
 * Allow-lists of API keys compare exact addresses and do not use this. A caller who has hung up
 * has no address any more.
 */
export function networkOf(address: string | undefined): string {
  if (!address?.includes(':')) return address ?? ''
  const known = remembered.get(address)
  if (known !== undefined) return known
  const network = readNetwork(address)
  if (remembered.size >= requestRateLimits.tracked) remembered.clear()
  remembered.set(address, network)
  return network
}

function readNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${ipv6NetworkBits}`)
  return `${network}/${ipv6NetworkBits}`
}
