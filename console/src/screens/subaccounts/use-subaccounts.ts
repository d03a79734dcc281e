import type { Subaccount } from '../../../../sdk/src/types'
import { type NamedResources, useNamed, useNewest } from '../../api/newest'

export const path = '/v1/subaccounts'

const subaccounts: NamedResources = {
  listRead: 'subaccounts',
  itemRead: 'subaccount',
  path,
  permission: 'subaccounts.see',
}

/** The newest sub-accounts, for names and choices. */
export const useSubaccounts = () => useNewest<Subaccount>(subaccounts)

export const useSubaccount = (reference: string | null) =>
  useNamed<Subaccount>(subaccounts, reference)
