import { Link } from '@tanstack/react-router'
import { Copy } from './copy'

/** `pay_06drtrktg1…f0yw`: the start and end, if it is long. */
export function shorten(text: string, keep = 12): string {
  return text.length > keep + 6 ? `${text.slice(0, keep)}…${text.slice(-4)}` : text
}

/** An identifier of ours. Copied whole, also when it is shown in part. */
export function Reference({ value, isShort = false }: { value: string; isShort?: boolean }) {
  return (
    <Copy text={value}>
      <span className="mono">{isShort ? shorten(value) : value}</span>
    </Copy>
  )
}

/** An identifier of ours that leads to the page of its resource. */
export const ResourceLink = ({ to, reference }: { to: string; reference: string }) => (
  <Link className="link mono" to={to}>
    {reference}
  </Link>
)

/** `041 882 7731`. */
export function formatAccountNumber(number: string): string {
  return /^\d{10}$/.test(number) ? number.replace(/^(\d{3})(\d{3})/, '$1 $2 ') : number
}

export function AccountNumber({ value }: { value: string }) {
  return (
    <Copy text={value}>
      <span className="no-wrap">{formatAccountNumber(value)}</span>
    </Copy>
  )
}

/** `HAgk…Kpqk`. */
export const formatWallet = (address: string) =>
  address.length > 12 ? `${address.slice(0, 4)}…${address.slice(-4)}` : address

export function Wallet({ value }: { value: string }) {
  return (
    <Copy text={value}>
      <span className="no-wrap" title={value}>
        {formatWallet(value)}
      </span>
    </Copy>
  )
}
