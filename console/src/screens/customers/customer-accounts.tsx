import type { Customer, CustomerAccount } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { AccountNumber, Wallet } from '../../parts/identifiers'
import { notify, useNotifiedRefusal } from '../../parts/notify'
import { Card, ListItem } from '../../parts/page'
import { Chip } from '../../parts/status'
import { WhenRead } from '../../parts/when-read'
import { customerTexts } from './texts'
import { path } from './use-customers'

const words = customerTexts.page

type Accounts = { items: CustomerAccount[] }

/** Dedicated accounts and wallets of the customer, and buttons that open what is missing. */
export function CustomerAccounts({ customer }: { customer: Customer }) {
  const { reference, erasedAt } = customer
  const accountsPath = `${path}/${reference}/accounts`
  const read = useRead<Accounts>('customer accounts', accountsPath)
  const mayChange = useMay('customers.change')
  const { write, isBusy, refusal } = useWrite<CustomerAccount>({
    topics: ['payments'],
    reads: ['customer accounts'],
  })
  useNotifiedRefusal(refusal)
  const open = async (kind: CustomerAccount['kind']) => {
    if (await write(accountsPath, { kind })) void notify(words.opened)
  }
  return (
    <Card title={words.accounts}>
      <WhenRead read={read}>
        {({ items }) => (
          <>
            <p className="soft hint">
              {items.length === 0 ? words.noAccounts : words.accountsHint}
            </p>
            <ul className="list">
              {items.map((account) => (
                <Account key={account.reference} account={account} />
              ))}
            </ul>
            {mayChange && erasedAt === null && (
              <div className="padded row wrap">
                {!has(items, 'dedicated_account') && (
                  <Button
                    size="small"
                    icon="bank"
                    isBusy={isBusy}
                    onClick={() => void open('dedicated_account')}
                  >
                    {words.openBank}
                  </Button>
                )}
                {!has(items, 'dedicated_crypto_wallet') && (
                  <Button
                    size="small"
                    icon="coin"
                    isBusy={isBusy}
                    onClick={() => void open('dedicated_crypto_wallet')}
                  >
                    {words.openWallet}
                  </Button>
                )}
              </div>
            )}
          </>
        )}
      </WhenRead>
    </Card>
  )
}

const has = (accounts: CustomerAccount[], kind: CustomerAccount['kind']) =>
  accounts.some((account) => account.kind === kind && account.status === 'ACTIVE')

function Account({ account }: { account: CustomerAccount }) {
  const { accountNumber, address, bankName, accountName, status } = account
  return (
    <ListItem
      icon={accountNumber ? 'bank' : 'coin'}
      title={
        accountNumber ? <AccountNumber value={accountNumber} /> : <Wallet value={address ?? ''} />
      }
      text={accountNumber ? `${bankName} · ${accountName}` : words.wallet}
    >
      {status !== 'ACTIVE' && <Chip>{words.closed}</Chip>}
    </ListItem>
  )
}
