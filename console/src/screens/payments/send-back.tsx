import { useState } from 'react'
import type { Payment } from '../../../../sdk/src/types'
import type { ApiRefusal } from '../../api/refusal'
import { useMay } from '../../api/session'
import { RadioField } from '../../parts/choices'
import { TextField } from '../../parts/fields'
import { type AnyPayment, nameOf } from './describe-payment'
import { paymentTexts } from './texts'

const words = paymentTexts.sendBack

type ReturnRoute = 'sender' | 'wallet' | 'link'

/**
 * Where money of a payment goes back to: its sender, a wallet that the merchant knows, or where the
 * payer says on the page of a link. Coins do not simply go back: the wallet that sent them may
 * belong to an exchange.
 */
export function useSendBack(payment: AnyPayment) {
  const mayLink = useMay('payouts.create')
  const known: ReturnRoute = payment.currency === 'NGN' ? 'sender' : 'wallet'
  const [route, setRoute] = useState<ReturnRoute>(
    mayLink && isSenderHidden(payment) ? 'link' : known,
  )
  const [address, setAddress] = useState('')
  const [email, setEmail] = useState(emailOf(payment))
  const mail = email.trim()
  const bodies = {
    sender: {},
    wallet: { destination: { address: address.trim() } },
    link: { by: 'claim', ...(mail && { claim: { email: mail } }) },
  }
  return {
    known,
    mayLink,
    route,
    setRoute,
    address,
    setAddress,
    email,
    setEmail,
    /** What the request says about it. */
    body: bodies[route],
    isComplete: route !== 'wallet' || address.trim() !== '',
  }
}

/** Empty if it is unknown, or masked for this member. */
function emailOf({ checkoutSession }: AnyPayment): string {
  const email = checkoutSession?.customer.email ?? ''
  return email.includes('*') ? '' : email
}

/** The bank reported no account number, or only some of its digits. */
function isSenderHidden({ sender, currency }: Payment): boolean {
  return currency === 'NGN' && 'name' in sender && !/^\d{10}$/.test(sender.accountNumber)
}

type Props = {
  payment: Payment
  back: ReturnType<typeof useSendBack>
  refusal: ApiRefusal | null
}

export function SendBackFields({ payment, back, refusal }: Props) {
  const { known, mayLink, route } = back
  const choices = [
    known === 'sender'
      ? { value: known, label: words.sender, description: words.senderText(nameOf(payment)) }
      : { value: known, label: words.wallet, description: words.walletText },
    { value: 'link' as const, label: words.link, description: words.linkText },
  ]
  return (
    <>
      {mayLink ? (
        <RadioField label={words.to} choices={choices} value={route} onChange={back.setRoute} />
      ) : (
        <p>{choices[0]!.description}</p>
      )}
      {route === 'wallet' && (
        <TextField
          label={words.address}
          value={back.address}
          autoComplete="off"
          onChange={back.setAddress}
        />
      )}
      {route === 'link' && (
        <TextField
          label={words.email}
          description={words.emailText}
          placeholder="ada@example.com"
          value={back.email}
          error={refusal?.issueOf('claim.email')}
          onChange={back.setEmail}
        />
      )}
    </>
  )
}
