import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/session'
import { shorten } from '../../parts/identifiers'
import { useSubaccount } from './use-subaccounts'

/** The name of a sub-account, which leads to its page. Users who see none see its reference. */
export function SubaccountLink({ reference }: { reference: string }) {
  const maySee = useMay('subaccounts.see')
  const name = useSubaccountName(reference)
  if (!maySee) return <span className="mono">{name}</span>
  return (
    <Link className="link" to={`/subaccounts/${reference}`}>
      {name}
    </Link>
  )
}

export function useSubaccountName(reference: string): string {
  return useSubaccount(reference)?.name ?? shorten(reference)
}
