import ipaddr from 'ipaddr.js'

/**
 * Only what the internet at large can reach: no private, local, mapped or translated address, of
 * version 6 only what is given out as global unicast, and no address at which clouds answer to the
 * machines inside them.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || cloudAddresses.includes(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.toByteArray()[0]! >> 5 === 1
}

const cloudAddresses = ['168.63.129.16']

export const loopbackAddresses = ['127.0.0.1', '::1']

export function isLoopback(address: string): boolean {
  return loopbackAddresses.includes(address)
}

/** Addresses of version 6 stand in brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}
