import { type Html, html } from '../../base/html.js'
import type { Coin } from '../../money/assets.js'
import { renderCopy } from './scene.js'
import { plainAmount, showMoney, showNaira, type Texts } from './texts.js'

type BankAccount = {
  accountNumber: string
  accountName: string
  bankName: string
  amount: bigint
}

/** Where to send naira, with buttons that copy. */
export function renderBankAccount(
  { accountNumber, accountName, bankName, amount }: BankAccount,
  texts: Texts,
  amountLabel = texts.amount,
): Html {
  const groups = [accountNumber.slice(0, 3), accountNumber.slice(3, 6), accountNumber.slice(6)]
  const copies = {
    number: { text: accountNumber, label: texts.copyNumber, announcement: texts.numberCopied },
    amount: {
      text: plainAmount(amount, 'NGN'),
      label: texts.copyAmount,
      announcement: texts.amountCopied,
    },
  }
  const grouped = groups.map((group) => html`<span>${group}</span>`)
  const number = html`<span aria-hidden="true">${grouped}</span><span class="visually-hidden">${[...accountNumber].join(' ')}</span>`
  return html`<dl class="card">
    <div class="row copied first"><dt>${texts.accountNumber}</dt><dd class="number">${number}</dd>
      ${renderCopy(copies.number, texts)}</div>
    <div class="row"><dt>${texts.bank}</dt><dd>${bankName}</dd></div>
    <div class="row"><dt>${texts.accountName}</dt><dd>${accountName}</dd></div>
    <div class="row copied"><dt>${amountLabel}</dt><dd>${showNaira(amount)}</dd>
      ${renderCopy(copies.amount, texts)}</div></dl>`
}

type WalletAddress = { address: string; asset: Coin; amount: bigint }

/** Where to send coins. Shows the whole address: Solana addresses have no checksum. */
export function renderWalletAddress(
  { address, asset, amount }: WalletAddress,
  texts: Texts,
  amountLabel = texts.amount,
): Html {
  const words = texts.coins
  const copies = {
    address: { text: address, label: words.copyAddress, announcement: words.addressCopied },
    amount: {
      text: plainAmount(amount, asset),
      label: words.copyAmount(asset),
      announcement: texts.amountCopied,
    },
  }
  return html`<dl class="card">
    <div class="row copied first"><dt>${words.address}</dt><dd class="address">${address}</dd>
      ${renderCopy(copies.address, texts)}</div>
    <div class="row"><dt>${words.network}</dt><dd>${words.solana}</dd></div>
    <div class="row copied"><dt>${amountLabel}</dt><dd>${showMoney(amount, asset)}</dd>
      ${renderCopy(copies.amount, texts)}</div></dl>`
}

type TransferRequest = {
  address: string
  amount: string
  /** Address of the coin on its chain; null if it is not known now. */
  mint: string | null
  label: string
  message: string
}

/** A Solana Pay transfer request. Without the mint, an amount would be one of SOL. */
export function solanaPayLink({ address, amount, mint, label, message }: TransferRequest): string {
  if (mint === null) return `solana:${address}`
  const fields = { amount, 'spl-token': mint, label: shorten(label), message: shorten(message) }
  const query = Object.entries(fields).map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
  return `solana:${address}?${query.join('&')}`
}

/** More characters would make the QR code hard to scan, and 500 do not fit into one. */
const linkTextLengthMax = 60

/** Cuts by code points: half a surrogate pair cannot be encoded. */
function shorten(text: string): string {
  const characters = [...text]
  if (characters.length <= linkTextLengthMax) return text
  return `${characters.slice(0, linkTextLengthMax - 1).join('')}…`
}
