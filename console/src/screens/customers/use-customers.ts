import type { Customer } from '../../../../sdk/src/types'
import { type NamedResources, useNamed, useNewest } from '../../api/newest'

export const path = '/v1/customers'

const customers: NamedResources = {
  listRead: 'customers',
  itemRead: 'customer',
  path,
  permission: 'customers.see',
}

/** The newest customers, for names and choices. */
export const useCustomers = () => useNewest<Customer>(customers)

export const useCustomer = (reference: string | null) => useNamed<Customer>(customers, reference)
