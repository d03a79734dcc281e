import ipaddr from 'ipaddr.js'

/** Only what the internet at large can reach: no private, local, mapped or translated address. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast'
}

export const loopbackAddresses = ['127.0.0.1', '::1']

export function isLoopback(address: string): boolean {
  return loopbackAddresses.includes(address)
}
