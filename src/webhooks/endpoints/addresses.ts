import ipaddr from 'ipaddr.js'

/**
 * Publicly routable addresses only: no private, local, mapped or translated ones, only global
 * unicast for IPv6, and no cloud metadata services.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || cloudAddresses.includes(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.toByteArray()[0]! >> 5 === 1
}

/** Azure's metadata service has an address in the public range. */
const cloudAddresses = ['168.63.129.16']

const loopbackAddresses = ['127.0.0.1', '::1']

export function isLoopback(address: string): boolean {
  return loopbackAddresses.includes(address)
}

/** A trailing dot marks the root and changes nothing. */
const withoutRoot = (host: string) => host.toLowerCase().replace(/\.$/, '')

/** Names that always mean this machine (RFC 6761). */
export function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost$/.test(withoutRoot(host))
}

/**
 * Names that exist only inside a network: loopback names, top-level domains reserved for private
 * use, and names of one label, which no public domain has.
 */
export function isPrivateName(host: string): boolean {
  const name = withoutRoot(host)
  if (isLoopbackName(name) || !name.includes('.')) return true
  return /(^|\.)(local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/.test(name)
}

/** The host without the brackets around an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}
