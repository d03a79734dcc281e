import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/session'
import { shorten } from '../../parts/identifiers'
import { useCustomer } from './use-customers'

/** The name of a customer, which leads to its page. Users who see none see its reference. */
export function CustomerLink({ reference }: { reference: string }) {
  const maySee = useMay('customers.see')
  const name = useCustomerName(reference)
  if (!maySee) return <span className="mono">{name}</span>
  return (
    <Link className="link" to={`/customers/${reference}`}>
      {name}
    </Link>
  )
}

export const CustomerName = ({ reference }: { reference: string }) => useCustomerName(reference)

export function useCustomerName(reference: string): string {
  return useCustomer(reference)?.name ?? shorten(reference)
}
