import { BlockList, isIP } from 'node:net'

/** An IP address, or a range of them in CIDR notation. */
type AddressRange = { address: string; family: 'ipv4' | 'ipv6'; prefix: number }

/** Parses an address or a CIDR range, such as "203.0.113.7" or "10.0.0.0/8". */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, address = '', prefix] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return undefined
  const prefixMax = version === 4 ? 32 : 128
  if (prefix !== undefined && Number(prefix) > prefixMax) return undefined
  return {
    address,
    family: version === 4 ? 'ipv4' : 'ipv6',
    prefix: prefix === undefined ? prefixMax : Number(prefix),
  }
}

export type AddressCheck = (address: string) => boolean

/**
 * Checks whether a caller's address is in one of the ranges; without ranges, every address is. Also
 * matches IPv4 addresses that the socket reports in IPv6 notation.
 */
export function createAddressCheck(ranges: string[]): AddressCheck {
  if (ranges.length === 0) return () => true
  const list = new BlockList()
  for (const text of ranges) {
    const range = parseAddressRange(text)
    // An invalid range allows nothing: the safe default for an allowlist.
    if (range) list.addSubnet(range.address, range.prefix, range.family)
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}
