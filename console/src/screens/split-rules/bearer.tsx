import { SubaccountLink } from '../subaccounts/subaccount-link'
import { splitTexts } from './texts'

/** Who bears the fee: a group, or one sub-account. */
export function Bearer({ value }: { value: string }) {
  const groups: Record<string, string> = splitTexts.bearers
  return groups[value] ?? <SubaccountLink reference={value} />
}
